import type { Codec, LogPublisher, LogRecord, RecordHandler, RecordOutcome } from '../../kernel/index.ts';
import { clientName } from '../document/raw-document.ts';
import type { Verdict } from '../registry/judge.ts';
import type { Lane } from '../registry/registry-row.ts';
import { REJECTED_TOPIC, type QualifiedBatch, type RejectedDocument } from './qualified-batch.ts';
import type { ReceiveDocuments } from './receive-documents.use-case.ts';

export type ConsumeDocumentsNeeds = {
  readonly receiveDocuments: ReceiveDocuments;
  readonly log: LogPublisher;
  readonly batches: Codec<QualifiedBatch>;
  readonly rejected: Codec<RejectedDocument>;
  readonly retryMs?: number;
};

const isRejected = ({ kind }: Verdict): boolean =>
  kind === 'invalid' || kind === 'too_old' || kind === 'unknown_epoch';

/**
 * Handles records of an input topic. Bytes that can't be read, or of a client that is not configured, are dead letters.
 * Documents that are refused are published to `vasgen-rejected`. The record is done when every document has an outcome.
 */
export const makeConsumeDocuments = (
  { receiveDocuments, log, batches, rejected, retryMs = 1_000 }: ConsumeDocumentsNeeds,
  lane: Lane,
): RecordHandler => {
  const retry = (reason: string, lasting = false): RecordOutcome => ({
    kind: 'retry',
    afterMs: retryMs,
    reason,
    lasting,
  });
  return async ({ value, position }) => {
    const batch = batches.decode(value);
    if (batch.isErr()) return { kind: 'poison', reason: `Malformed: ${batch.error.what}` };
    const { client: name, documents } = batch.value;
    const client = clientName(name);
    if (!client) return { kind: 'poison', reason: 'the client has no proper name' };
    const received = await receiveDocuments(client, documents, lane);
    if (received.isErr())
      return received.error.kind === 'UnknownClient'
        ? { kind: 'poison', reason: `there is no client "${name}"` }
        : retry(received.error.what);
    const verdicts = received.value;
    if (verdicts.some(({ kind }) => kind === 'unavailable'))
      return retry('some documents have no outcome yet');
    const refused = verdicts.flatMap((verdict, index): LogRecord[] => {
      if (!isRejected(verdict)) return [];
      const document = documents[index]!;
      return [
        {
          topic: REJECTED_TOPIC,
          key: document.pk,
          value: rejected.encode({ client, document, verdict, position, index }),
        },
      ];
    });
    if (refused.length === 0) return { kind: 'done' };
    const published = await log.publish(refused);
    return published.isOk()
      ? { kind: 'done' }
      : retry(
          `the rejects can not be published: ${published.error.kind}`,
          published.error.kind !== 'Unavailable',
        );
  };
};

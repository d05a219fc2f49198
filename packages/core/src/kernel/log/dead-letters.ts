import type { Clock } from '../ports/clock.port.ts';
import type { Codec } from '../ports/codec.port.ts';
import type {
  BatchHandler,
  BatchOutcome,
  Delivered,
  LogPublisher,
  Position,
  RecordHeaders,
  TopicSpec,
} from '../ports/message-log.port.ts';
import type { Logger } from '../ports/telemetry.port.ts';

/** A record that could not be handled, with all that is needed to look at it, repair it and send it again. */
export type DeadLetter = {
  readonly position: Position;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: RecordHeaders;
  readonly reason: string;
  readonly attempts: number;
  readonly failedAtMs: number;
};

export const deadTopicOf = (topic: string): string => `${topic}.dead`;
/** The dead-letter topic of a topic: the same partitions, room for the record and what is said about it. */
export const deadTopicSpec = (spec: TopicSpec): TopicSpec => ({
  ...spec,
  name: deadTopicOf(spec.name),
  recordBytesMax: spec.recordBytesMax + 64 * 1024,
});

/** `retry`: not now, the partition waits. `poison`: never, whoever tries. */
export type RecordOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly reason: string }
  | { readonly kind: 'poison'; readonly reason: string };
export type RecordHandler = (record: Delivered, signal: AbortSignal) => Promise<RecordOutcome>;

type Needs = {
  readonly log: LogPublisher;
  readonly codec: Codec<DeadLetter>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** So many `retry`s of one record make it a dead letter; without it a record is tried for ever. */
  readonly attemptsMax?: number;
};

/**
 * Turns a handler of records into one of batches. A poison record is put aside in `<topic>.dead` before the position
 * moves past it: it is never dropped, and if it can't be put aside the partition waits.
 */
export const withDeadLetters = (
  { log, codec, clock, logger, attemptsMax = Infinity }: Needs,
  handle: RecordHandler,
): BatchHandler => {
  const attempts = new Map<number, { readonly offset: number; readonly count: number }>();
  const putAside = async (record: Delivered, reason: string, tried: number): Promise<boolean> => {
    const { key, value, headers, position } = record;
    const letter: DeadLetter = {
      position,
      key,
      value,
      headers,
      reason,
      attempts: tried,
      failedAtMs: clock.nowMs(),
    };
    const sent = await log.publish([
      { topic: deadTopicOf(position.topic), key, value: codec.encode(letter), headers },
    ]);
    if (sent.isErr())
      logger.error('dead letter could not be put aside', { position, reason, error: sent.error });
    else logger.warn('record put aside as a dead letter', { position, reason });
    return sent.isOk();
  };
  const triedBefore = (partition: number, offset: number): number => {
    const last = attempts.get(partition);
    return last?.offset === offset ? last.count : 0;
  };
  return async ({ partition, records }, signal): Promise<BatchOutcome> => {
    for (const [handled, record] of records.entries()) {
      if (signal.aborted) return { kind: 'again', handled };
      const tried = triedBefore(partition, record.position.offset) + 1;
      const outcome = await handle(record, signal);
      if (outcome.kind === 'again') return { kind: 'again', handled };
      if (outcome.kind === 'retry' && tried < attemptsMax) {
        attempts.set(partition, { offset: record.position.offset, count: tried });
        return {
          kind: 'blocked',
          handled,
          retryAtMs: clock.nowMs() + outcome.afterMs,
          reason: outcome.reason,
        };
      }
      if (outcome.kind === 'done') continue;
      if (!(await putAside(record, outcome.reason, tried)))
        return { kind: 'blocked', handled, retryAtMs: clock.nowMs() + 1_000, reason: 'dead letter refused' };
    }
    return { kind: 'done' };
  };
};

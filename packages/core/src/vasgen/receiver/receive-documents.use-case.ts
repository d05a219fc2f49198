import { err, ok, type Result } from 'neverthrow';
import {
  delayMs,
  sleep,
  xxh64Bytes,
  type Backoff,
  type Clock,
  type Codec,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import type { ClientEpochs } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import type {
  DocumentRegistry,
  RegistryWrite,
  SchemaMoved,
  WriteOutcome,
} from '../registry/document-registry.port.ts';
import {
  propose,
  settle,
  type JudgeSettings,
  type Proposal,
  type Received,
  type Verdict,
} from '../registry/judge.ts';
import { livingEpochs } from '../epochs/epoch.ts';
import type { ProcessRegistry } from '../registry/process-registry.store.ts';
import type { Lane } from '../registry/registry-row.ts';
import { isOwnWrite } from './own-write.ts';

export type ReceiveSettings = JudgeSettings & { readonly shards: number; readonly retry: Backoff };
export type ReceiveNeeds = {
  readonly registry: Pick<DocumentRegistry, 'accept'>;
  readonly process: Pick<ProcessRegistry, 'write'>;
  readonly epochs: KnownEpochs;
  readonly codec: Codec<RawDocument>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: ReceiveSettings;
};
/** A verdict for each document, in their order. The call as a whole fails only if its client is unknown or no epoch can be read. */
export type ReceiveDocuments = (
  client: ClientName,
  documents: readonly RawDocument[],
  lane: Lane,
) => Promise<Result<readonly Verdict[], UnknownClient | Unavailable>>;

type Write = Extract<Proposal, { kind: 'write' }>;
type Growing = Write & { readonly growth: NonNullable<Write['growth']> };
const isGrowing = (proposal: Proposal): proposal is Growing =>
  proposal.kind === 'write' && proposal.growth !== undefined;
const UNAVAILABLE: Verdict = { kind: 'unavailable' };

/** The store can never take it. */
const unstorable = ({ epoch }: RawDocument, { what }: Unavailable): Verdict => ({
  kind: 'invalid',
  epoch,
  violations: [{ path: '', code: 'Unstorable', message: what }],
});

export const makeReceiveDocuments = (needs: ReceiveNeeds): ReceiveDocuments => {
  const { registry, process, epochs: known, codec, clock, random, settings } = needs;

  const receivedOf = (document: RawDocument, lane: Lane): Received => {
    const body = codec.encode(document);
    return { document, lane, body, contentHash: xxh64Bytes(body).toString(16).padStart(16, '0') };
  };
  const writeOf = ({ row, mayBeFirst, erases }: Write): RegistryWrite => ({
    row,
    mayBeFirst,
    erases,
    shard: documentShard(row.pk, settings.shards),
  });

  /** Tries again after an answer was lost. */
  const withRetry = async <E extends { readonly kind: string }>(
    write: RegistryWrite,
    send: () => PromiseLike<Result<WriteOutcome, E | Unavailable>>,
  ): Promise<Result<WriteOutcome, E | Unavailable>> => {
    for (let attempt = 1; ; attempt++) {
      const answer = await send();
      if (answer.isOk()) {
        const { value } = answer;
        const isOwn = attempt > 1 && value.kind === 'kept' && isOwnWrite(write.row, value.stored);
        return isOwn ? ok({ kind: 'written' }) : answer;
      }
      const { error } = answer;
      const isOver = attempt >= (settings.retry.attemptsMax ?? Infinity);
      if (!('retryable' in error) || !error.retryable || isOver) return err(error);
      await sleep(clock, delayMs(settings.retry, attempt, random));
    }
  };

  const verdictOf = async (
    client: ClientName,
    received: Received,
    proposal: Write,
    outcome: WriteOutcome,
  ): Promise<Verdict> => {
    switch (outcome.kind) {
      case 'written':
        return proposal.verdict;
      case 'kept':
        return settle(received, proposal, outcome.stored, settings).verdict;
      case 'absent':
        return settle(received, proposal, undefined, settings).verdict;
      case 'unknownEpoch':
        return (await known.reload(client)).match<Verdict>(
          (epochs) => ({ kind: 'unknown_epoch', living: livingEpochs(epochs) }),
          () => UNAVAILABLE,
        );
    }
  };
  const settled = async (
    client: ClientName,
    received: Received,
    proposal: Write,
    answer: Result<WriteOutcome, Unavailable>,
  ): Promise<Verdict> => {
    if (answer.isOk()) return verdictOf(client, received, proposal, answer.value);
    return answer.error.retryable ? UNAVAILABLE : unstorable(received.document, answer.error);
  };

  /** A document that adds fields goes alone, because its growth depends on the schema that stands at its commit. */
  const grow = async (
    client: ClientName,
    received: Received,
    proposal: Growing,
  ): Promise<Verdict | SchemaMoved> => {
    const { epoch } = received.document;
    const write = writeOf(proposal);
    const growth = { epoch, to: proposal.growth };
    const answer = await withRetry<SchemaMoved>(write, async () =>
      (await registry.accept(client, [write], growth)).map(([outcome]) => outcome!),
    );
    if (answer.isErr() && answer.error.kind === 'SchemaMoved') return answer.error;
    if (answer.isOk() && answer.value.kind === 'written') known.grown(client, epoch, growth.to);
    return settled(client, received, proposal, answer as Result<WriteOutcome, Unavailable>);
  };

  return async (client, documents, lane) => {
    const first = await known.get(client);
    if (first.isErr()) return err(first.error);
    let epochs: ClientEpochs = first.value;
    let asked = false;
    const verdicts: Verdict[] = [];
    let running: Promise<void>[] = [];
    const refresh = async (how: 'get' | 'reload'): Promise<boolean> => {
      const fresh = await known[how](client);
      if (fresh.isOk()) epochs = fresh.value;
      return fresh.isOk();
    };
    const proposalOf = async (received: Received): Promise<Proposal> => {
      const proposal = propose(received, epochs, clock.nowMs(), settings);
      if (proposal.verdict.kind !== 'unknown_epoch' || asked) return proposal;
      // The epoch may be younger than what this process knows. The store is asked once a call.
      asked = true;
      await refresh('reload');
      return propose(received, epochs, clock.nowMs(), settings);
    };
    /** The verdict of a document that adds fields, or its proposal if another receiver has added them meanwhile. */
    const grownOrNot = async (received: Received): Promise<Verdict | Exclude<Proposal, Growing>> => {
      for (;;) {
        const proposal = await proposalOf(received);
        if (!isGrowing(proposal)) return proposal;
        await Promise.all(running);
        running = [];
        const verdict = await grow(client, received, proposal);
        if (verdict.kind !== 'SchemaMoved') {
          await refresh('get');
          return verdict;
        }
        if (!(await refresh('reload'))) return UNAVAILABLE;
      }
    };
    for (const [index, document] of documents.entries()) {
      const received = receivedOf(document, lane);
      const outcome = await grownOrNot(received);
      if (outcome.kind === 'refuse') verdicts[index] = outcome.verdict;
      else if (outcome.kind === 'write') {
        const write = writeOf(outcome);
        const done = withRetry<never>(write, () => process.write(client, write))
          .then((answer) => settled(client, received, outcome, answer))
          .then((verdict) => void (verdicts[index] = verdict));
        running.push(done);
      } else verdicts[index] = outcome;
    }
    await Promise.all(running);
    return ok(verdicts);
  };
};

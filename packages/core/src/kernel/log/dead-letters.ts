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
import { limitRepeats } from '../limit-repeats.ts';
import { silentTelemetry, type Logger, type Metrics } from '../ports/telemetry.port.ts';

/** A record that could not be handled, with everything needed to inspect it, repair it and publish it again. */
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
/** The dead-letter topic of a topic. It has the same partitions and room for the record and the reason. */
export const deadTopicSpec = (spec: TopicSpec): TopicSpec => ({
  ...spec,
  name: deadTopicOf(spec.name),
  recordBytesMax: spec.recordBytesMax + 64 * 1024,
});

/**
 * `retry`: try again later, the partition waits. `lasting`: the same error is expected again, because it is about the record
 * and not about a server that is away. `poison`: no retry can succeed.
 */
export type RecordOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly reason: string; readonly lasting?: boolean }
  | { readonly kind: 'poison'; readonly reason: string };
export type RecordHandler = (record: Delivered, signal: AbortSignal) => Promise<RecordOutcome>;

/** What was tried with the first record of a partition that is not done yet. */
type Attempts = { readonly offset: number; readonly count: number; readonly lasting: number };
type Needs = {
  readonly log: LogPublisher;
  readonly codec: Codec<DeadLetter>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** A record becomes a dead letter when so many attempts ended with a lasting error. Other errors are retried without limit. */
  readonly attemptsMax?: number;
};
/** The pause between attempts grows up to so many times the first one. */
const PAUSE_GROWTH_MAX = 8;
export const DEFAULT_ATTEMPTS_MAX = 5;

/**
 * Turns a handler of records into a handler of batches. A poison record is published to `<topic>.dead` before the position
 * moves past it, so it is never dropped. If that publish fails, the partition waits.
 */
export const withDeadLetters = (
  { log, codec, clock, logger, metrics = silentTelemetry.metrics, attemptsMax = DEFAULT_ATTEMPTS_MAX }: Needs,
  handle: RecordHandler,
): BatchHandler => {
  const deadTotal = metrics.counter({
    name: 'doska_log_dead_total',
    help: 'Records that became dead letters.',
    labels: ['topic'],
  });
  const failures = limitRepeats(logger, clock);
  const attempts = new Map<number, Attempts>();
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
      failures.error('dead letter could not be published; the partition waits', {
        position,
        reason,
        error: sent.error,
      });
    else {
      deadTotal.add(1, { topic: position.topic });
      // Limited, because a broken producer may send many. Each letter in the dead topic has its own position and reason.
      failures.error(`a record of ${position.topic} became a dead letter`, {
        ...position,
        key,
        reason,
        attempts: tried,
      });
    }
    return sent.isOk();
  };
  const triedBefore = (partition: number, offset: number): Attempts => {
    const last = attempts.get(partition);
    return last?.offset === offset ? last : { offset, count: 0, lasting: 0 };
  };
  /** A handler that throws has a bug that this record shows: the record will show it again. */
  const outcomeOf = async (record: Delivered, signal: AbortSignal): Promise<RecordOutcome> => {
    try {
      return await handle(record, signal);
    } catch (error) {
      failures.error('the handler of a record threw', { ...record.position, key: record.key, error });
      const reason = `the handler threw: ${error instanceof Error ? error.message : String(error)}`;
      return { kind: 'retry', afterMs: 1_000, reason, lasting: true };
    }
  };
  return async ({ partition, records }, signal): Promise<BatchOutcome> => {
    for (const [handled, record] of records.entries()) {
      if (signal.aborted) return { kind: 'again', handled };
      const before = triedBefore(partition, record.position.offset);
      const tried = before.count + 1;
      const outcome = await outcomeOf(record, signal);
      if (outcome.kind === 'again') return { kind: 'again', handled };
      const lasting = before.lasting + (outcome.kind === 'retry' && outcome.lasting ? 1 : 0);
      if (outcome.kind === 'retry' && lasting < attemptsMax) {
        attempts.set(partition, { ...before, count: tried, lasting });
        return {
          kind: 'blocked',
          handled,
          retryAtMs: clock.nowMs() + outcome.afterMs * Math.min(2 ** before.count, PAUSE_GROWTH_MAX),
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

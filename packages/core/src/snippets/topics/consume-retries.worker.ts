import {
  deadTopicOf,
  type BatchHandler,
  type BatchOutcome,
  type Delivered,
  type LogPublisher,
} from '../../kernel/index.ts';
import { STEP_RECORDS, type ConsumeNeeds } from './consume-topic.worker.ts';
import type { TopicCodecs } from './settle-records.use-case.ts';
import type { SnippetRetry } from './topic-record.ts';

type Needs = Omit<ConsumeNeeds, 'waiting' | 'retriesWaitingMax'> & {
  readonly log: LogPublisher;
  readonly codecs: TopicCodecs;
};

/** The retry flow of all sections. A store that is away uses up no attempt: the flow waits for it. */
export const makeConsumeRetries = (needs: Needs): BatchHandler => {
  const { current, apply, settle, log, codecs, clock, retryMs } = needs;
  const blocked = (handled: number, retryAtMs: number, reason: string): BatchOutcome => ({
    kind: 'blocked',
    handled,
    retryAtMs,
    reason,
  });
  const soon = (): number => clock.nowMs() + retryMs;
  /** Another program wrote it, or a newer release. */
  const putAside = async ({ position, key, value, headers }: Delivered, reason: string): Promise<boolean> => {
    const letter = { position, key, value, headers, reason, attempts: 1, failedAtMs: clock.nowMs() };
    const sent = await log.publish([
      { topic: deadTopicOf(position.topic), key, value: codecs.letters.encode(letter) },
    ]);
    return sent.isOk();
  };
  /** The first records that are due and can be read. */
  const dueOf = (records: readonly Delivered[]): readonly SnippetRetry[] => {
    const due: SnippetRetry[] = [];
    for (const { value } of records.slice(0, STEP_RECORDS)) {
      const retry = codecs.retries.decode(value);
      if (retry.isErr() || retry.value.notBeforeMs > clock.nowMs()) break;
      due.push(retry.value);
    }
    return due;
  };
  return async ({ records }, signal) => {
    for (let handled = 0; handled < records.length;) {
      if (signal.aborted) return { kind: 'again', handled };
      const first = codecs.retries.decode(records[handled]!.value);
      if (first.isErr()) {
        if (!(await putAside(records[handled]!, `no retry: ${first.error.field}`)))
          return blocked(handled, soon(), 'dead letter refused');
        handled++;
        continue;
      }
      const due = dueOf(records.slice(handled));
      if (due.length === 0) return blocked(handled, first.value.notBeforeMs, 'the next retry is not due yet');
      const loaded = current();
      const outcomes = await apply(loaded, due);
      const away = outcomes.findIndex((one) => one.kind === 'failed' && one.isAway);
      const done = away < 0 ? due : due.slice(0, away);
      const all = done.map((record, i) => ({ record, attempt: record.attempt, outcome: outcomes[i]! }));
      if (!(await settle(loaded, all)))
        return blocked(handled, soon(), 'retries and dead letters could not be stored');
      handled += done.length;
      if (away >= 0) return blocked(handled, soon(), 'the store is away');
    }
    return { kind: 'done' };
  };
};

import { err, ok, type ResultAsync, type Result } from 'neverthrow';
import type { FeedAnswer, FeedKey } from '../../gost/index.ts';
import type { BatchHandler, Clock, Codec, Counter, Delivered, Unavailable } from '../../kernel/index.ts';
import { batchName, decideAnswers, type KnownAnswers } from '../domain/decide-answers.ts';
import type { FeedTaskId } from '../domain/feed-task.ts';
import type { Load, StoredFeed } from '../domain/load.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import { STORE_ROWS_MAX, type FeedStore } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';
import { withoutOwner } from './manage-feeds.ts';

export type SaveAnswersNeeds = {
  readonly feeds: FeedStore;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
  /** Answers that changed nothing and are worth a look. */
  readonly counted: Counter;
};
/** Saves answers of one feed, in their order. */
export type SaveAnswers = (key: FeedKey, answers: readonly FeedAnswer[]) => ResultAsync<void, Unavailable>;

export const makeSaveAnswers = ({ feeds, clock, settings, counted }: SaveAnswersNeeds): SaveAnswers => {
  const knownTo = async (
    key: FeedKey,
    stored: StoredFeed,
    answers: readonly FeedAnswer[],
  ): Promise<Result<KnownAnswers, Unavailable>> => {
    const tasks = [...new Set(answers.map(({ task }) => task as FeedTaskId))];
    const ended: Load[] = [];
    for (const task of tasks.filter((id) => !stored.open.some((load) => load.task.id === id))) {
      const found = await feeds.findLoad({ seller: key.seller, namespace: key.namespace, task });
      if (found.isErr()) return err(found.error);
      if (found.value) ended.push(found.value);
    }
    const saved = new Set<string>();
    for (const task of tasks) {
      const ofTask = answers.filter((answer) => answer.task === task && answer.kind === 'batch');
      for (const generation of new Set(ofTask.map((answer) => answer.generation))) {
        const batches = ofTask.flatMap((answer) =>
          answer.kind === 'batch' && answer.generation === generation ? [answer.batch] : [],
        );
        const found = await feeds.savedBatches(
          { seller: key.seller, namespace: key.namespace, task },
          generation,
          batches,
        );
        if (found.isErr()) return err(found.error);
        for (const batch of found.value) saved.add(batchName(task, generation, batch));
      }
    }
    const statistics = await feeds.statistics(key, tasks);
    if (statistics.isErr()) return err(statistics.error);
    const isLast = answers.some(({ kind }) => kind === 'terminal');
    const history = isLast ? await feeds.history(key, { limit: STORE_ROWS_MAX }) : ok([]);
    return history.map((loads) => ({ saved, statistics: statistics.value, ended, history: loads }));
  };
  return (key, answers) =>
    changeFeed<Readonly<Record<string, number>>, Unavailable>(feeds, key, async (stored) => {
      if (!stored) return ok({ value: { 'unknown feed': answers.length } });
      const known = await knownTo(key, stored, answers);
      if (known.isErr()) return err(known.error);
      const decision = decideAnswers(stored, answers, known.value, { nowMs: clock.nowMs(), settings });
      const { loads = [], results = [] } = decision.change;
      const change = loads.length + results.length > 0 ? decision.change : undefined;
      return ok({ value: decision.counted, change });
    })
      .mapErr(withoutOwner)
      .map((counts) => {
        for (const [reason, n] of Object.entries(counts)) counted.add(n, { reason });
      });
};

/** Records of one batch that belong to one feed are saved in one transaction of at most so many. */
const RECORDS_MAX = 50;
const RETRY_MS = 1_000;

/**
 * Handles batches of `feed-results`. Records that can't be read are given to `refuse`; they block no other record.
 */
export const makeConsumeAnswers =
  (
    {
      save,
      codec,
      clock,
    }: { readonly save: SaveAnswers; readonly codec: Codec<FeedAnswer>; readonly clock: Clock },
    refuse: BatchHandler,
  ): BatchHandler =>
  async (batch, signal) => {
    const { records } = batch;
    for (let at = 0; at < records.length;) {
      if (signal.aborted) return { kind: 'again', handled: at };
      const first = codec.decode(records[at]!.value);
      if (first.isErr()) {
        const refused = await refuse({ ...batch, records: [records[at]!] }, signal);
        if (refused.kind !== 'done') return { ...refused, handled: at };
        at += 1;
        continue;
      }
      const group: FeedAnswer[] = [];
      const isSame = ({ seller, namespace }: FeedAnswer): boolean =>
        seller === first.value.seller && namespace === first.value.namespace;
      for (let next = at; next < records.length && group.length < RECORDS_MAX; next++) {
        const answer = codec.decode((records[next] as Delivered).value);
        if (answer.isErr() || !isSame(answer.value)) break;
        group.push(answer.value);
      }
      const { seller, namespace } = first.value;
      const saved = await save({ seller, namespace }, group);
      if (saved.isErr())
        return {
          kind: 'blocked',
          handled: at,
          retryAtMs: clock.nowMs() + RETRY_MS,
          reason: saved.error.what,
        };
      at += group.length;
    }
    return { kind: 'done' };
  };

import type { EntryAnswer, FeedAnswer, FeedVerdict } from '../../gost/index.ts';
import { decideFeedTask } from './decide-feed-task.ts';
import { newLoad } from './decide-load.ts';
import type { FeedTaskEvent } from './feed-task.ts';
import {
  noStatistics,
  type FeedChange,
  type Load,
  type LoadStatistics,
  type OfferError,
  type SavedResults,
  type StoredError,
  type StoredFeed,
} from './load.ts';
import { sellerPath } from './seller-path.ts';
import type { FeedsSettings } from './settings.ts';

/** More different codes are counted together. */
const CODES_MAX = 100;
const OTHER = 'other';

const withCodes = (
  codes: Readonly<Record<string, number>>,
  errors: readonly OfferError[],
): Record<string, number> => {
  const next = new Map(Object.entries(codes));
  for (const { code } of errors) {
    const name = next.has(code) || next.size < CODES_MAX ? code : OTHER;
    next.set(name, (next.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(next);
};
const errorsOf = ({ errors, ordinal, externalId, title }: EntryAnswer, { format }: Load): OfferError[] =>
  errors.map((error) => ({ ...error, path: sellerPath(format, error.path), ordinal, externalId, title }));

/** Adds errors to the counts. Returns those that are still stored. */
export const withErrors = (
  statistics: LoadStatistics,
  errors: readonly OfferError[],
  storedMax: number,
): { readonly statistics: LoadStatistics; readonly stored: readonly StoredError[] } => {
  const stored = errors
    .slice(0, Math.max(0, storedMax - statistics.stored))
    .map((error, i) => ({ ...error, n: statistics.stored + i }));
  const failures = errors.filter(({ level }) => level === 'error').length;
  return {
    stored,
    statistics: {
      ...statistics,
      codes: withCodes(statistics.codes, errors),
      errors: statistics.errors + failures,
      warnings: statistics.warnings + errors.length - failures,
      stored: statistics.stored + stored.length,
    },
  };
};
const withVerdicts = (
  verdicts: LoadStatistics['verdicts'],
  entries: readonly EntryAnswer[],
): LoadStatistics['verdicts'] => {
  const next: Record<FeedVerdict, number> = { ...verdicts };
  for (const { verdict } of entries) next[verdict] += 1;
  return next;
};

export type KnownAnswers = {
  /** `task/generation/batch` of the saved ones. */
  readonly saved: ReadonlySet<string>;
  readonly statistics: ReadonlyMap<number, LoadStatistics>;
  /** Loads of the answers that have ended. */
  readonly ended: readonly Load[];
  readonly history: readonly Load[];
};
export const batchName = (task: number, generation: number, batch: number): string =>
  `${task}/${generation}/${batch}`;

const eventOf = (answer: FeedAnswer, isSaved: boolean, atMs: number): FeedTaskEvent => {
  const { generation } = answer;
  if (answer.kind === 'terminal' || answer.outcome !== 'applied')
    return { kind: answer.outcome as 'done' | 'held' | 'incomplete' | 'skipped', generation, atMs };
  return { kind: 'batch answered', generation, atMs, batch: answer.batch, isSaved };
};

/** `counted`: answers that changed nothing and are worth a look, by reason. */
export type AnswersDecision = {
  readonly change: FeedChange;
  readonly counted: Readonly<Record<string, number>>;
};
type Run = { statistics: LoadStatistics; batches: number[]; errors: StoredError[] };

/** What answers of GOST make of a feed, all of them in one commit and each once. */
export const decideAnswers = (
  stored: StoredFeed,
  answers: readonly FeedAnswer[],
  known: KnownAnswers,
  { nowMs, settings }: { readonly nowMs: number; readonly settings: FeedsSettings },
): AnswersDecision => {
  const loads = new Map([...known.ended, ...stored.open].map((load) => [load.task.id as number, load]));
  const before = new Map(loads);
  const saved = new Set(known.saved);
  const runs = new Map<number, Run>();
  const counts: Record<string, number> = {};
  const count = (reason: string): void => void (counts[reason] = (counts[reason] ?? 0) + 1);
  const runOf = (load: Load): Run => {
    const { id, generation } = load.task;
    const found = runs.get(id);
    if (found) return found;
    const kept = known.statistics.get(id);
    // Counts of a lower generation are thrown away: its entries are answered once more.
    const statistics = kept?.generation === generation ? kept : { ...noStatistics, generation };
    const made = { statistics, batches: [], errors: [] };
    runs.set(id, made);
    return made;
  };
  for (const answer of answers) {
    const load = loads.get(answer.task);
    if (!load) {
      count('unknown task');
      continue;
    }
    const name = answer.kind === 'batch' ? batchName(answer.task, answer.generation, answer.batch) : '';
    const decision = decideFeedTask(load.task, eventOf(answer, saved.has(name), nowMs), settings.task);
    if (decision.isErr()) {
      count(decision.error.because);
      continue;
    }
    if (decision.value.kind === 'ignored') {
      if (decision.value.counted) count(decision.value.because);
      continue;
    }
    loads.set(answer.task, { ...load, task: decision.value.task, updatedAtMs: nowMs });
    const run = runOf(load);
    if (answer.kind === 'terminal') {
      const { removed, manual, known: all, unseen } = answer;
      run.statistics = { ...run.statistics, removed, manual, known: all, unseen };
    } else if (answer.outcome === 'applied') {
      saved.add(name);
      run.batches.push(answer.batch);
      const told = answer.entries.flatMap((entry) => errorsOf(entry, load));
      const sum = withErrors(run.statistics, told, settings.errorsStoredMax);
      run.statistics = {
        ...sum.statistics,
        verdicts: withVerdicts(run.statistics.verdicts, answer.entries),
      };
      run.errors.push(...sum.stored);
    }
  }
  const movedLoads = [...loads.values()].filter((load) => before.get(load.task.id) !== load);
  const results = [...runs].map(([id, run]): SavedResults => ({
    task: loads.get(id)!.task.id,
    generation: run.statistics.generation,
    batches: run.batches,
    statistics: run.statistics,
    errors: run.errors,
  }));
  const done = movedLoads.find(
    (load) => load.task.place === 'succeed' && before.get(load.task.id)?.task.place !== 'succeed',
  );
  const follow = done ? followUp(stored, done, known.history, { nowMs, settings }) : {};
  return {
    change: { ...follow, loads: [...movedLoads, ...(follow.loads ?? [])], results },
    counted: counts,
  };
};

/** A load with errors that may pass is processed again later; a finished removal takes the history of its feed along. */
const followUp = (
  stored: StoredFeed,
  done: Load,
  history: readonly Load[],
  { nowMs, settings }: { readonly nowMs: number; readonly settings: FeedsSettings },
): FeedChange => {
  if (done.origin === 'removal')
    return { old: history.filter(({ task }) => task.id <= done.task.id).map(({ task }) => task.id) };
  const isNewest = stored.feed.lastTask === done.task.id;
  const mayRepeat = done.progress.transientErrors > 0 && done.repeats < settings.repeatsMax && done.file;
  if (!isNewest || !mayRepeat || stored.feed.status === 'removed') return {};
  const { change } = newLoad(
    { feed: stored.feed, open: [] },
    {
      file: mayRepeat,
      origin: done.origin,
      repeats: done.repeats + 1,
      notBeforeMs: nowMs + settings.repeatPauseMs,
    },
    [],
    { nowMs, settings },
  );
  return { ...(change.feed ? { feed: change.feed } : {}), loads: change.loads ?? [] };
};

import { errAsync, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import { sleep, type Clock, type Unavailable } from '../../kernel/index.ts';
import {
  hasEnded,
  noStatistics,
  type Load,
  type LoadKey,
  type LoadStatistics,
  type OfferError,
  type StoredError,
} from '../domain/load.ts';
import { suggestedFix } from '../domain/suggested-fix.ts';
import type { ErrorPlace, FeedStore, PhotoErrorRow, PhotoErrors } from '../ports/feed-store.port.ts';

export type LoadNotFound = { readonly kind: 'LoadNotFound' };
export type LoadView = { readonly load: Load; readonly statistics: LoadStatistics };
export type ErrorFilter = {
  readonly level?: OfferError['level'];
  readonly code?: string;
  readonly after?: ErrorPlace;
  readonly limit: number;
};
/** Errors of one code and field together. */
export type Diagnosis = {
  readonly code: string;
  readonly path: string;
  readonly level: OfferError['level'];
  readonly count: number;
  readonly examples: readonly OfferError[];
  readonly fix: string;
};

export interface ReadLoads {
  readonly listLoads: (
    key: FeedKey,
    page: { readonly before?: number; readonly limit: number },
  ) => ResultAsync<readonly LoadView[], Unavailable>;
  readonly getLoad: (key: LoadKey) => ResultAsync<LoadView, LoadNotFound | Unavailable>;
  /** The load whenever it changes, until it ends or is held. */
  readonly watchLoad: (
    key: LoadKey,
    signal: AbortSignal,
  ) => AsyncIterable<Result<LoadView, LoadNotFound | Unavailable>>;
  /** Errors of the run that is shown, by external id. */
  readonly listErrors: (
    key: LoadKey,
    filter: ErrorFilter,
  ) => ResultAsync<readonly StoredError[], LoadNotFound | Unavailable>;
  /** What is wrong, by code and field, the most frequent first. Looks at the stored errors. */
  readonly diagnose: (key: LoadKey) => ResultAsync<readonly Diagnosis[], LoadNotFound | Unavailable>;
  readonly listPhotoErrors: (
    key: FeedKey,
    page: Parameters<PhotoErrors['list']>[1],
  ) => ResultAsync<readonly PhotoErrorRow[], Unavailable>;
}
type Needs = {
  readonly feeds: FeedStore;
  readonly photoErrors: PhotoErrors;
  readonly clock: Clock;
  readonly watchMs?: number;
};
const EXAMPLES_MAX = 5;
const PAGE = 1_000;

export const makeReadLoads = ({ feeds, photoErrors, clock, watchMs = 500 }: Needs): ReadLoads => {
  const viewsOf = (key: FeedKey, loads: readonly Load[]): ResultAsync<readonly LoadView[], Unavailable> =>
    loads.length === 0
      ? okAsync([])
      : feeds
          .statistics(
            key,
            loads.map(({ task }) => task.id),
          )
          .map((known) =>
            loads.map((load) => ({ load, statistics: known.get(load.task.id) ?? noStatistics })),
          );
  const getLoad: ReadLoads['getLoad'] = (key) =>
    feeds
      .findLoad(key)
      .andThen((load): ResultAsync<LoadView, LoadNotFound | Unavailable> =>
        load
          ? viewsOf(key, [load]).map(([view]) => view!)
          : errAsync<LoadView, LoadNotFound | Unavailable>({ kind: 'LoadNotFound' }),
      );
  const listErrors: ReadLoads['listErrors'] = (key, filter) =>
    getLoad(key).andThen(({ statistics }) =>
      feeds.errors(key, { ...filter, generation: statistics.generation }),
    );
  async function* watchLoad(
    key: LoadKey,
    signal: AbortSignal,
  ): AsyncIterable<Result<LoadView, LoadNotFound | Unavailable>> {
    for (let shown = ''; !signal.aborted;) {
      const view = await getLoad(key);
      const now = view.isOk() ? JSON.stringify(view.value) : '';
      if (view.isErr() || now !== shown) yield view;
      if (view.isErr() || hasEnded(view.value.load) || view.value.load.task.place === 'held') return;
      shown = now;
      await sleep(clock, watchMs, signal);
    }
  }
  return {
    listLoads: (key, page) => feeds.history(key, page).andThen((loads) => viewsOf(key, loads)),
    getLoad,
    watchLoad,
    listErrors,
    diagnose: (key) => {
      const groups = new Map<string, Diagnosis & { examples: OfferError[]; count: number }>();
      const read = (
        after: ErrorPlace | undefined,
      ): ResultAsync<readonly Diagnosis[], LoadNotFound | Unavailable> =>
        listErrors(key, { limit: PAGE, ...(after ? { after } : {}) }).andThen(
          (errors): ResultAsync<readonly Diagnosis[], LoadNotFound | Unavailable> => {
            for (const error of errors) {
              const { code, level } = error;
              // Pictures of one offer are one field.
              const path = error.path.replace(/\[\d+\]/g, '[]');
              const name = JSON.stringify([code, path, level]);
              const group = groups.get(name) ?? {
                code,
                path,
                level,
                count: 0,
                examples: [],
                fix: suggestedFix(error),
              };
              groups.set(name, {
                ...group,
                count: group.count + 1,
                examples: group.examples.length < EXAMPLES_MAX ? [...group.examples, error] : group.examples,
              });
            }
            const last = errors.at(-1);
            return errors.length < PAGE || !last
              ? okAsync([...groups.values()].toSorted((a, b) => b.count - a.count))
              : read({ externalId: last.externalId, n: last.n });
          },
        );
      return read(undefined);
    },
    listPhotoErrors: (key, page) => photoErrors.list(key, page),
  };
};

import { errAsync, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { Catalog, CatalogNotLoaded } from '../../catalog/index.ts';
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
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly clock: Clock;
  readonly watchMs?: number;
};
type Group = Omit<Diagnosis, 'fix' | 'examples' | 'count'> & {
  count: number;
  readonly examples: OfferError[];
  /** How often each value came. */
  readonly values: Map<string, number>;
};
const EXAMPLES_MAX = 5;
const VALUES_MAX = 1_000;
const SUGGESTED_VALUES_MAX = 3;
/** Further groups get advice without names of the catalogue: looking for them takes time. */
const SUGGESTED_GROUPS_MAX = 50;
const PAGE = 1_000;

export const makeReadLoads = ({ feeds, photoErrors, catalog, clock, watchMs = 500 }: Needs): ReadLoads => {
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
  const diagnosesOf = (groups: readonly Group[]): readonly Diagnosis[] => {
    const version = catalog().unwrapOr(undefined);
    return groups
      .toSorted((a, b) => b.count - a.count)
      .map(({ values, ...group }, n) => {
        const frequent = [...values].toSorted(([, a], [, b]) => b - a).map(([value]) => value);
        const about = { ...group, values: frequent.slice(0, SUGGESTED_VALUES_MAX) };
        return { ...group, fix: suggestedFix(about, n < SUGGESTED_GROUPS_MAX ? version : undefined) };
      });
  };
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
      const groups = new Map<string, Group>();
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
              const group: Group = groups.get(name) ?? {
                code,
                path,
                level,
                count: 0,
                examples: [],
                values: new Map(),
              };
              groups.set(name, group);
              group.count += 1;
              if (group.examples.length < EXAMPLES_MAX) group.examples.push(error);
              const { value } = error;
              const { values } = group;
              if (value !== undefined && (values.has(value) || values.size < VALUES_MAX))
                values.set(value, (values.get(value) ?? 0) + 1);
            }
            const last = errors.at(-1);
            return errors.length < PAGE || !last
              ? okAsync(diagnosesOf([...groups.values()]))
              : read({ externalId: last.externalId, n: last.n });
          },
        );
      return read(undefined);
    },
    listPhotoErrors: (key, page) => photoErrors.list(key, page),
  };
};

import type { FeedKey, GostCodecs } from '@doska/core/gost';
import type { FeedMove } from '@doska/core/gost/storage';
import type { ParametersOf } from '../driver/query.ts';
import { bucketOf } from '../schema/buckets.ts';
import type { WRITE_FEEDS } from './commit-queries.ts';
import { keyOf, type CommitState, type KnownFeedRow } from './commit-state.ts';

type Writes = ParametersOf<(typeof WRITE_FEEDS)['parameters']>;
type Place = { readonly tasked: Writes['tasked']; readonly removed: Writes['removed'] };

/** The one place, of two tables, in which a row is found by its load or by its age. */
const placeOf = (
  { seller, namespace }: FeedKey,
  external_id: string,
  row: KnownFeedRow | undefined,
): Place => {
  if (!row) return { tasked: [], removed: [] };
  const key = { seller, namespace, external_id };
  return row.removed_at_us === undefined
    ? { tasked: [{ ...key, task: row.task }], removed: [] }
    : { tasked: [], removed: [{ ...key, bucket: bucketOf(seller), removed_at_us: row.removed_at_us }] };
};
const without = <Row extends object>(rows: readonly Row[], kept: readonly Row[]): readonly Row[] => {
  const text = (row: Row): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  const names = new Set(kept.map(text));
  return rows.filter((row) => !names.has(text(row)));
};

export const feedWrites = (
  moves: readonly FeedMove[],
  { feedRows }: CommitState,
  codecs: GostCodecs,
): Writes => {
  const rows = moves.flatMap((feed) => feed.rows.map((row) => ({ feed, row })));
  const put = new Set(rows.map(({ feed, row }) => keyOf(feed.seller, feed.namespace, row.externalId)));
  const dropped = moves
    .flatMap(({ seller, namespace, dropped: ids }) =>
      ids.map((external_id) => ({ seller, namespace, external_id })),
    )
    .filter(({ seller, namespace, external_id }) => !put.has(keyOf(seller, namespace, external_id)));
  const touched = [
    ...rows.map(({ feed, row }) => ({ feed: feed, id: row.externalId })),
    ...dropped.map((row) => ({ feed: row, id: row.external_id })),
  ];
  const before = touched.map(({ feed, id }) =>
    placeOf(feed, id, feedRows.get(keyOf(feed.seller, feed.namespace, id))),
  );
  const after = rows.map(({ feed, row: { externalId, task, removedAtUs } }) =>
    placeOf(feed, externalId, { task, removed_at_us: removedAtUs }),
  );
  const tasked = after.flatMap((place) => place.tasked);
  const removed = after.flatMap((place) => place.removed);
  return {
    progress: moves.map(({ seller, namespace, expectedVersion, progress }) => ({
      seller,
      namespace,
      version: expectedVersion + 1,
      body: codecs.feedProgress.encode(progress),
    })),
    dropped,
    rows: rows.map(({ feed: { seller, namespace }, row }) => ({
      seller,
      namespace,
      external_id: row.externalId,
      task: row.task,
      removed_at_us: row.removedAtUs,
      body: codecs.feedRow.encode(row),
    })),
    untasked: without(
      before.flatMap((place) => place.tasked),
      tasked,
    ),
    tasked,
    returned: without(
      before.flatMap((place) => place.removed),
      removed,
    ),
    removed,
  };
};

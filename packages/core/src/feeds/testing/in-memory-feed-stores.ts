import { err, ok } from 'neverthrow';
import type { FeedKey } from '../../gost/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import {
  freeLock,
  hasEnded,
  type FeedChange,
  type LoadStatistics,
  type StoredError,
  type StoredFeed,
} from '../domain/load.ts';
import { feedShard } from '../domain/settings.ts';
import type { FeedStores } from '../ports/feed-store.port.ts';
import { inMemoryUpkeep } from './in-memory-feed-upkeep.ts';
import {
  all,
  below,
  feedKey,
  loadKey,
  loadsOf,
  padded,
  pageOf,
  BATCHES,
  ERRORS,
  FEED,
  OLD,
  OWNERS,
  SEP,
  STATISTICS,
  TASKS,
  type FeedRow,
  type LoadRow,
  type OwnerRow,
} from './memory-feed-rows.ts';

const writeResults = (tx: MemoryTx, key: FeedKey, { results = [] }: FeedChange): void => {
  for (const { task, generation, batches, statistics, errors } of results) {
    const load = loadKey(key, task);
    for (const batch of batches)
      tx.put(BATCHES, `${load}${SEP}${padded(generation)}${SEP}${padded(batch)}`, {});
    tx.put(STATISTICS, load, statistics);
    for (const error of errors)
      tx.put(
        ERRORS,
        `${load}${SEP}${padded(generation)}${SEP}${error.externalId}${SEP}${padded(error.n)}`,
        error,
      );
  }
};

export const inMemoryFeedStores = (db: MemoryDatabase, io: Io = direct): FeedStores => {
  const read = <T>(name: string, args: unknown, work: (tx: MemoryTx) => T) =>
    transact(db, io, `feeds.${name}`, args, (tx) => ok(work(tx)));
  const keysWhere = (tx: MemoryTx, shard: number, holds: (row: FeedRow, tx: MemoryTx) => boolean) =>
    all<FeedRow>(tx, FEED)
      .map(([, row]) => row)
      .filter(({ feed }) => feedShard(feed) === shard)
      .filter((row) => holds(row, tx));
  const keyOf = ({ feed: { seller, namespace } }: FeedRow): FeedKey => ({ seller, namespace });

  return {
    feeds: {
      load: (key) =>
        read('load', key, (tx): StoredFeed | undefined => {
          const row = tx.get<FeedRow>(FEED, feedKey(key));
          if (!row) return undefined;
          const loads = loadsOf(tx, key);
          return { ...row, open: loads.filter((load) => !hasEnded(load)), newest: loads.at(-1) };
        }),
      commit: (key, revision, change) =>
        transact(db, io, 'feeds.commit', { ...key, revision }, (tx) => {
          const row = tx.get<FeedRow>(FEED, feedKey(key));
          const feed = change.feed ?? row?.feed;
          if ((row?.revision ?? 0) !== revision || !feed) return err({ kind: 'FeedChanged' as const });
          if (change.owner !== undefined) {
            const owner = tx.get<OwnerRow>(OWNERS, change.owner);
            if (!owner || owner.condemned) return err({ kind: 'OwnerGone' as const });
            tx.delete(OWNERS, change.owner);
          }
          const { link = row?.link, locks = {}, loads = [], old = [] } = change;
          tx.put(FEED, feedKey(key), {
            revision: revision + 1,
            feed,
            link: link === 'gone' ? undefined : link,
            locks: { feedloader: freeLock, feedprocessor: freeLock, ...row?.locks, ...locks },
          });
          const { seller, namespace } = key;
          for (const load of loads) tx.put(TASKS, loadKey(key, load.task.id), { seller, namespace, load });
          for (const task of old) tx.put(OLD, loadKey(key, task), { seller, namespace, task });
          writeResults(tx, key, change);
          return ok(undefined);
        }),
      feedsOf: (seller) =>
        read('feedsOf', seller, (tx) => all<FeedRow>(tx, FEED, below(seller)).map(([, { feed }]) => feed)),
      findLoad: (key) => read('findLoad', key, (tx) => tx.get<LoadRow>(TASKS, loadKey(key, key.task))?.load),
      history: (key, { before = Infinity, limit }) =>
        read('history', key, (tx) =>
          pageOf(
            loadsOf(tx, key)
              .filter(({ task }) => task.id < before)
              .toReversed(),
            limit,
          ),
        ),
      findRequest: (key, requestId) =>
        read('findRequest', key, (tx) => loadsOf(tx, key).find((load) => load.requestId === requestId)),
      savedBatches: (key, generation, batches) =>
        read('savedBatches', key, (tx) => {
          const prefix = `${loadKey(key, key.task)}${SEP}${padded(generation)}${SEP}`;
          return new Set(batches.filter((batch) => tx.get(BATCHES, prefix + padded(batch)) !== undefined));
        }),
      statistics: (key, tasks) =>
        read('statistics', key, (tx) => {
          const found = tasks.map(
            (task) => [task, tx.get<LoadStatistics>(STATISTICS, loadKey(key, task))] as const,
          );
          return new Map(found.flatMap(([task, row]) => (row ? [[task, row] as const] : [])));
        }),
      errors: (key, { generation, level, code, after, limit }) =>
        read('errors', key, (tx) => {
          const prefix = `${loadKey(key, key.task)}${SEP}${padded(generation)}`;
          const rows = all<StoredError>(tx, ERRORS, below(prefix))
            .map(([, error]) => error)
            .filter((error) => level === undefined || error.level === level)
            .filter((error) => code === undefined || error.code === code)
            .filter(
              ({ externalId, n }) =>
                !after || externalId > after.externalId || (externalId === after.externalId && n > after.n),
            );
          return pageOf(rows, limit);
        }),
    },
    queues: {
      dueTasks: (shard, nowMs, limit) =>
        read('dueTasks', { shard }, (tx) => {
          const due = keysWhere(tx, shard, () => true).flatMap((row) => {
            const times = loadsOf(tx, row.feed).flatMap(({ task }) =>
              task.place === 'queued' && task.nextAttemptAtMs <= nowMs ? [task.nextAttemptAtMs] : [],
            );
            return times.length > 0 ? [{ key: keyOf(row), atMs: Math.min(...times) }] : [];
          });
          return pageOf(
            due.toSorted((a, b) => a.atMs - b.atMs),
            limit,
          ).map(({ key }) => key);
        }),
      dueLinks: (shard, nowMs, limit) =>
        read('dueLinks', { shard }, (tx) =>
          pageOf(
            keysWhere(tx, shard, ({ link }) => link !== undefined && link.nextAttemptAtMs <= nowMs).toSorted(
              (a, b) => (a.link?.lastFetchedAtMs ?? -1) - (b.link?.lastFetchedAtMs ?? -1),
            ),
            limit,
          ).map(keyOf),
        ),
      staleLocks: (context, shard, beforeMs, limit) =>
        read('staleLocks', { context, shard }, (tx) =>
          pageOf(
            keysWhere(tx, shard, ({ locks }) => {
              const { holder, renewedAtMs } = locks[context];
              return holder !== undefined && renewedAtMs <= beforeMs;
            }),
            limit,
          ).map(keyOf),
        ),
      unanswered: (shard, beforeMs, limit) =>
        read('unanswered', { shard }, (tx) =>
          pageOf(
            keysWhere(tx, shard, ({ feed }) =>
              loadsOf(tx, feed).some(({ task }) => task.place === 'sent' && task.sentAtMs <= beforeMs),
            ),
            limit,
          ).map(keyOf),
        ),
    },
    ...inMemoryUpkeep(db, io),
  };
};

import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import { hasEnded, type LoadKey, type LoadStatistics } from '../domain/load.ts';
import { STORE_ROWS_MAX, type FeedStores, type PhotoErrorRow } from '../ports/feed-store.port.ts';
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
  OLD,
  OWNERS,
  PHOTOS,
  SEP,
  STATISTICS,
  TASKS,
  type LoadRow,
  type OwnerRow,
} from './memory-feed-rows.ts';

/** Owners of files, the cleanup and photo errors. */
export const inMemoryUpkeep = (
  db: MemoryDatabase,
  io: Io = direct,
): Pick<FeedStores, 'owners' | 'cleanup' | 'photoErrors'> => {
  const read = <T>(name: string, args: unknown, work: (tx: MemoryTx) => T) =>
    transact(db, io, `feeds.${name}`, args, (tx) => ok(work(tx)));
  return {
    owners: {
      announce: (owner) =>
        read('announce', owner, (tx) => tx.put(OWNERS, owner.id, { ...owner, condemned: false })),
      announcedBefore: (atMs, limit) =>
        read('announcedBefore', { atMs }, (tx) =>
          pageOf(
            all<OwnerRow>(tx, OWNERS).flatMap(([, { condemned: _, ...owner }]) =>
              owner.atMs < atMs ? [owner] : [],
            ),
            limit,
          ),
        ),
      condemn: (id) =>
        read('condemn', { id }, (tx) => {
          const row = tx.get<OwnerRow>(OWNERS, id);
          if (row) tx.put(OWNERS, id, { ...row, condemned: true });
        }),
      drop: (id) => read('dropOwner', { id }, (tx) => tx.delete(OWNERS, id)),
      isHolding: (id) =>
        read('isHolding', { id }, (tx) => {
          const announced = tx.get<OwnerRow>(OWNERS, id);
          if (announced) return !announced.condemned;
          return all<LoadRow>(tx, TASKS).some(([, { load }]) => load.file?.owner === id);
        }),
      loadsOf: (id) =>
        read(
          'loadsOf',
          { id },
          (tx) => all<LoadRow>(tx, TASKS).filter(([, { load }]) => load.file?.owner === id).length,
        ),
    },
    cleanup: {
      old: (limit) =>
        read('old', { limit }, (tx) =>
          pageOf(
            all<LoadKey>(tx, OLD).flatMap(([name, key]) => {
              const row = tx.get<LoadRow>(TASKS, name);
              return !row || hasEnded(row.load) ? [key] : [];
            }),
            limit,
          ),
        ),
      deleteDetails: (key, limit) =>
        read('deleteDetails', key, (tx) => {
          const load = loadKey(key, key.task);
          const errors = tx.scan(ERRORS, { ...below(load), limit: Math.min(limit, STORE_ROWS_MAX) });
          for (const [name] of errors) tx.delete(ERRORS, name);
          if (errors.length >= Math.min(limit, STORE_ROWS_MAX)) return false;
          tx.delete(STATISTICS, load);
          for (const [name] of all(tx, BATCHES, below(load))) tx.delete(BATCHES, name);
          return true;
        }),
      deleteLoad: (key) =>
        read('deleteLoad', key, (tx) => {
          tx.delete(TASKS, loadKey(key, key.task));
          tx.delete(OLD, loadKey(key, key.task));
        }),
      markAll: (key) =>
        read('markAll', key, (tx) => {
          const { seller, namespace } = key;
          for (const { task } of loadsOf(tx, key))
            tx.put(OLD, loadKey(key, task.id), { seller, namespace, task: task.id });
        }),
      deleteOutdatedErrors: (limit) =>
        read('deleteOutdatedErrors', { limit }, (tx) => {
          let deleted = 0;
          for (const [load, { generation }] of all<LoadStatistics>(tx, STATISTICS)) {
            const older = { from: `${load}${SEP}`, to: `${load}${SEP}${padded(generation)}` };
            for (const [name] of tx.scan(ERRORS, {
              ...older,
              limit: Math.min(limit - deleted, STORE_ROWS_MAX),
            })) {
              tx.delete(ERRORS, name);
              deleted += 1;
            }
            if (deleted >= limit) break;
          }
          return deleted;
        }),
    },
    photoErrors: {
      replace: (key, { offerId, externalId }, errors) =>
        read('photoErrors', { ...key, offerId }, (tx) => {
          const prefix = `${feedKey(key)}${SEP}${offerId}`;
          for (const [name] of all(tx, PHOTOS, below(prefix))) tx.delete(PHOTOS, name);
          for (const { url, reason } of errors)
            tx.put(PHOTOS, `${prefix}${SEP}${url}`, { offerId, externalId, url, reason });
        }),
      list: (key, { after, limit }) =>
        read('listPhotoErrors', key, (tx) =>
          pageOf(
            all<PhotoErrorRow>(tx, PHOTOS, below(feedKey(key)))
              .map(([, row]) => row)
              .filter(
                ({ offerId, url }) =>
                  !after || offerId > after.offerId || (offerId === after.offerId && url > after.url),
              ),
            limit,
          ),
        ),
      deleteAll: (key) =>
        read('deletePhotoErrors', key, (tx) => {
          for (const [name] of all(tx, PHOTOS, below(feedKey(key)))) tx.delete(PHOTOS, name);
        }),
    },
  };
};

import { errAsync, okAsync } from 'neverthrow';
import { unavailable } from '../../kernel/index.ts';
import type { RegistryRow } from '../registry/registry-row.ts';
import { deleteByTtlIo, elementsApartIo, forgetByPlaceIo, purgeAllIo } from './buggy-database-io.ts';
import { sequenceIo } from './sequence-io.ts';
import { SHARDS, type VasgenScenarioOptions } from './vasgen-scenario.ts';

/** The index never agrees with the registry, or the archive with the topic. */
const NOT_LIVE = /^not live|^liveness/;
export const vasgenBugs: readonly {
  readonly bug: string;
  readonly options: Omit<VasgenScenarioOptions, 'mode'> & { readonly mode?: 'constrained' };
  readonly law: RegExp;
}[] = [
  {
    bug: 'an acknowledgement before the commit',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry
              .accept(client, writes, growth)
              .orElse(() => okAsync(writes.map(() => ({ kind: 'written' as const })))),
        },
      }),
    },
    law: /^acknowledged/,
  },
  {
    bug: 'an offset that moves before the publish',
    options: {
      logOf: (log) => ({
        ...log,
        publish: (records, options) =>
          records.length === 0 ? log.publish(records, options) : log.publish(records, options).orElse(() => okAsync(undefined)), // prettier-ignore
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an offset that is written without a comparison',
    options: {
      mode: 'constrained',
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          advance: (reader, advance) =>
            stores.queues
              .advance(reader, advance)
              .orElse((error) =>
                error.kind === 'OffsetMoved'
                  ? stores.queues.advance(reader, { ...advance, from: error.actual })
                  : okAsync(undefined),
              ),
        },
      }),
    },
    law: /^offset/,
  },
  {
    bug: 'an expiry that is not fresher than its document',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry.accept(
              client,
              writes.map((write) =>
                write.row.place.kind === 'expiry'
                  ? {
                      ...write,
                      row: { ...write.row, place: { ...write.row.place, kind: 'document' as const } },
                    }
                  : write,
              ),
              growth,
            ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an expiry above newer documents',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry.accept(
              client,
              writes.map((write) =>
                write.row.place.kind === 'expiry'
                  ? {
                      ...write,
                      row: {
                        ...write.row,
                        place: { ...write.row.place, version: write.row.place.version + 1 },
                      },
                    }
                  : write,
              ),
              growth,
            ),
        },
      }),
    },
    law: /^expiry/,
  },
  {
    bug: 'a document that runs out without a delete for the index',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: { ...stores.registry, expired: () => okAsync([]) },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a queue element without its epoch',
    options: {
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          read: (shard, after, limit) =>
            stores.queues.read(shard, after, limit).map((found) =>
              found.map(({ element, row }) => ({
                element: { ...element, epoch: 1 },
                row: element.epoch === 1 ? row : undefined,
              })),
            ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'a tombstone that is skipped because it has no body',
    options: {
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          read: (shard, after, limit) =>
            stores.queues
              .read(shard, after, limit)
              .map((found) => found.filter(({ row }) => row?.body !== undefined)),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'deletions that are forgotten at once',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          forgetTombstones: (client, shard, _beforeMs, limit) =>
            stores.registry.forgetTombstones(client, shard, 1e12, limit),
        },
      }),
    },
    law: /^forgotten/,
  },
  {
    bug: 'a deletion that is forgotten by its place, not by when it was written',
    options: { composedLongAgo: true, ioOf: forgetByPlaceIo },
    law: /^forgotten/,
  },
  {
    bug: 'a row that the ttl of the database deletes',
    options: { ioOf: deleteByTtlIo },
    law: /^forgotten/,
  },
  {
    bug: 'a queue element that is committed apart from its row',
    options: { ioOf: elementsApartIo },
    law: /^queue: .* came without an element/,
  },
  {
    bug: 'queue elements that are deleted before they are done',
    options: { ioOf: purgeAllIo },
    law: /^queue: .* was not done/,
  },
  {
    bug: 'a schema that grows in the memory of one receiver only',
    options: {
      storesOf: (stores) => ({
        ...stores,
        registry: { ...stores.registry, accept: (client, writes) => stores.registry.accept(client, writes) },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an archive position that moves before the row is written',
    options: {
      storesOf: (stores) => {
        // Few segments are written while faults happen, so the first one of each life fails here.
        let isFirst = true;
        const add: typeof stores.archive.add = (row) => {
          const answer = isFirst ? errAsync(unavailable('archive')) : stores.archive.add(row);
          isFirst = false;
          return answer.orElse(() => okAsync(undefined));
        };
        return { ...stores, archive: { ...stores.archive, add } };
      },
    },
    law: NOT_LIVE,
  },
  {
    bug: 'failed elements that are stored apart from the offset',
    options: {
      storesOf: (stores) => ({
        ...stores,
        queues: {
          ...stores.queues,
          advance: (reader, { from, to, failed, parked }) =>
            stores.queues
              .advance(reader, { from, to, failed: [], parked: [] })
              .andThen(() =>
                failed.length + parked.length === 0
                  ? okAsync(undefined)
                  : stores.queues.advance(reader, { from: to, to, failed, parked }),
              ),
        },
      }),
    },
    law: NOT_LIVE,
  },
  {
    bug: 'an idx from a sequence',
    options: { ioOf: sequenceIo(SHARDS) },
    law: /^order/,
  },
  {
    bug: 'a rebuild that does not sweep',
    options: { isAwayForAMonth: true, engineOf: (engine) => ({ ...engine, sweep: () => okAsync(0) }) },
    law: NOT_LIVE,
  },
  {
    bug: 'a live document behind a bulk row of the same version',
    options: {
      bulkWaits: true,
      storesOf: (stores) => ({
        ...stores,
        registry: {
          ...stores.registry,
          accept: (client, writes, growth) =>
            stores.registry
              .find(
                client,
                writes[0]!.row.place.epoch,
                writes.map(({ row }) => row.pk),
              )
              .andThen((stored) => {
                const isKnown = ({ pk, place }: RegistryRow): boolean =>
                  stored.some((row) => row.pk === pk && row.place.version === place.version);
                return stores.registry.accept(
                  client,
                  writes.map((write) =>
                    isKnown(write.row) ? { ...write, row: { ...write.row, lane: 'bulk' as const } } : write,
                  ),
                  growth,
                );
              }),
        },
      }),
    },
    law: NOT_LIVE,
  },
];

import type { DocumentQueues, RegistryWrite, VasgenStores } from '@doska/core/vasgen';
import { okAsync } from 'neverthrow';
import type { Breakage } from './breakage.ts';

export const VASGEN_SUITES = [
  'EpochStore',
  'DocumentRegistry',
  'DocumentQueues',
  'RefusalStore',
  'SearcherRows',
  'ArchiveManifest',
  'Traps',
] as const;
type VasgenSuite = (typeof VASGEN_SUITES)[number];
type VasgenBreakage = Breakage<VasgenStores> & { readonly suite: VasgenSuite };

/** The right registry, given other writes. */
const accepting =
  (change: (write: RegistryWrite) => RegistryWrite) =>
  (right: VasgenStores): VasgenStores => ({
    ...right,
    registry: {
      ...right.registry,
      accept: (client, writes, growth) => right.registry.accept(client, writes.map(change), growth),
    },
  });

/** The right queues, changed. */
const queueing =
  (change: (right: DocumentQueues) => Partial<DocumentQueues>) =>
  (right: VasgenStores): VasgenStores => ({
    ...right,
    queues: { ...right.queues, ...change(right.queues) },
  });

export const brokenVasgen: readonly VasgenBreakage[] = [
  {
    suite: 'EpochStore',
    name: 'epochs that change without a comparison',
    noticedBy: ['a change that was decided on an older version is refused, and nothing is written'],
    broken: (right) => ({
      ...right,
      epochs: {
        ...right.epochs,
        change: (client, _version, to) =>
          right.epochs.load(client).andThen(({ version }) => right.epochs.change(client, version, to)),
      },
    }),
  },
  {
    suite: 'EpochStore',
    name: 'any number of shards',
    noticedBy: ['another number of shards is refused with both numbers'],
    broken: (right) => ({
      ...right,
      epochs: {
        ...right.epochs,
        ensureClient: (client, shards) =>
          right.epochs.ensureClient(client, shards).orElse(() => okAsync(undefined)),
      },
    }),
  },
  {
    suite: 'DocumentRegistry',
    name: 'expiries that are documents',
    noticedBy: ['a document over its own expiry is kept out'],
    broken: accepting((write) => ({
      ...write,
      row: { ...write.row, place: { ...write.row.place, kind: 'document' } },
    })),
  },
  {
    suite: 'DocumentRegistry',
    name: 'writes that may always be the first',
    noticedBy: ['a write that may not be the first needs a row'],
    broken: accepting((write) => ({ ...write, mayBeFirst: true })),
  },
  {
    suite: 'DocumentRegistry',
    name: 'a schema that is not stored with its document',
    noticedBy: [
      'is stored with the document that needs it',
      'of receivers that add fields at once one wins, and nothing of the others is written',
    ],
    broken: (right) => ({
      ...right,
      registry: { ...right.registry, accept: (client, writes) => right.registry.accept(client, writes) },
    }),
  },
  {
    suite: 'DocumentRegistry',
    name: 'a ttl that is ignored',
    noticedBy: ['a row is due when its ttl is reached, and not before'],
    broken: accepting((write) => ({ ...write, row: { ...write.row, expiresAtMs: undefined } })),
  },
  {
    suite: 'DocumentRegistry',
    name: 'tombstones that are forgotten by their place',
    noticedBy: ['are forgotten by when they were written, never by their place'],
    broken: accepting((write) => ({
      ...write,
      row: { ...write.row, writtenAtMs: write.row.place.timestampMs },
    })),
  },
  {
    suite: 'DocumentRegistry',
    name: 'rows of every epoch that may be dropped',
    noticedBy: ['rows of a living epoch are not dropped, those of a finished one are, with their ttls'],
    broken: (right) => ({ ...right, registry: { ...right.registry, dropRows: () => okAsync(0) } }),
  },
  {
    suite: 'DocumentQueues',
    name: 'an offset that is written without a comparison',
    noticedBy: [
      'the first commit again is refused, and says what stands',
      'an older offset is refused, and says what stands',
    ],
    broken: (right) => ({
      ...right,
      queues: {
        ...right.queues,
        advance: (reader, advance) =>
          right.queues.offset(reader).andThen((from) => right.queues.advance(reader, { ...advance, from })),
      },
    }),
  },
  {
    suite: 'DocumentQueues',
    name: 'failures that are lost',
    noticedBy: [
      'failures are stored with the offset, under an idx of their own, with epoch, timestamp and reason',
    ],
    broken: (right) => ({
      ...right,
      queues: {
        ...right.queues,
        advance: (reader, advance) => right.queues.advance(reader, { ...advance, failed: [] }),
      },
    }),
  },
  {
    suite: 'DocumentQueues',
    name: 'one offset for all groups',
    noticedBy: [
      'groups, queues and shards have offsets of their own',
      'the offsets of all shards are of one queue and group; 0 where nothing is done',
    ],
    broken: (right) => ({
      ...right,
      queues: {
        ...right.queues,
        offset: (reader) => right.queues.offset({ ...reader, group: 'all' }),
        offsets: (client, queue) => right.queues.offsets(client, queue, 'all'),
        advance: (reader, advance) => right.queues.advance({ ...reader, group: 'all' }, advance),
      },
    }),
  },
  {
    suite: 'DocumentQueues',
    name: 'elements that are purged at any age',
    noticedBy: ['elements are purged when every group has done them and they are old'],
    broken: (right) => ({
      ...right,
      queues: { ...right.queues, purge: (shard, _before, limit) => right.queues.purge(shard, 1e15, limit) },
    }),
  },
  {
    suite: 'RefusalStore',
    name: 'refusals of which the last one stored stays',
    noticedBy: ['the newest refusal of each document and epoch is kept'],
    broken: (right) => ({
      ...right,
      refusals: {
        ...right.refusals,
        add: (client, refusals) =>
          right.refusals.add(
            client,
            refusals.map((one) => ({ ...one, atMs: 100 })),
          ),
      },
    }),
  },
  {
    suite: 'SearcherRows',
    name: 'searchers that never die',
    noticedBy: ['a report is live while it is younger than asked for'],
    broken: (right) => ({
      ...right,
      searchers: { ...right.searchers, live: (client) => right.searchers.live(client, Infinity) },
    }),
  },
  {
    suite: 'SearcherRows',
    name: 'a purge of everything',
    noticedBy: ['old reports are purged, at most so many'],
    broken: (right) => ({
      ...right,
      searchers: {
        ...right.searchers,
        purge: (client, _older, limit) => right.searchers.purge(client, 0, limit),
      },
    }),
  },
  {
    suite: 'ArchiveManifest',
    name: 'records that are archived twice',
    noticedBy: [
      'the same one again is refused',
      'one that begins with the last archived record is refused',
      'an older one is refused',
    ],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        add: (row) =>
          right.archive.add(row).orElse(() => right.archive.add({ ...row, partition: row.partition + 7 })),
      },
    }),
  },
  {
    suite: 'ArchiveManifest',
    name: 'bytes that are condemned although a row names them',
    noticedBy: ['condemned bytes are never named again, named ones are never condemned'],
    broken: (right) => ({ ...right, archive: { ...right.archive, condemn: () => okAsync(true) } }),
  },
  {
    suite: 'ArchiveManifest',
    name: 'segments that are replaced without a comparison',
    noticedBy: ['the bytes of a segment are replaced once, and the old ones are condemned with it'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        replace: (key, _from, to, atMs) =>
          right.archive
            .find(key)
            .andThen((row) => right.archive.replace(key, row?.hash ?? to.hash, to, atMs)),
      },
    }),
  },
  {
    suite: 'ArchiveManifest',
    name: 'segments that count as scrubbed',
    noticedBy: ['segments are unscrubbed until they are scrubbed at or after a moment'],
    broken: (right) => ({ ...right, archive: { ...right.archive, unscrubbed: () => okAsync([]) } }),
  },
  {
    suite: 'Traps',
    name: 'elements that are joined without their epoch',
    noticedBy: ['an element without its epoch: documents of one key in two epochs are both published'],
    broken: queueing(({ read }) => ({
      read: (shard, after, limit) =>
        read(shard, after, limit).map((found) => {
          const rows = new Map(found.map(({ row }) => [row?.pk, row] as const));
          return found.map(({ element }) => ({ element, row: rows.get(element.pk) }));
        }),
    })),
  },
  {
    suite: 'Traps',
    name: 'one row for all epochs of a key',
    noticedBy: ['one row for each key: a building epoch does not hold back the serving one'],
    broken: (right) => ({
      ...right,
      registry: {
        ...right.registry,
        accept: (client, writes, growth) =>
          right.registry
            .find(
              client,
              2,
              writes.map(({ row }) => row.pk),
            )
            .andThen(([stored]) =>
              stored && stored.place.version > writes[0]!.row.place.version
                ? okAsync(writes.map(() => ({ kind: 'kept' as const, stored, raised: false })))
                : right.registry.accept(client, writes, growth),
            ),
      },
    }),
  },
  {
    suite: 'Traps',
    name: 'failures without epoch and timestamp',
    noticedBy: [
      'failures without epoch and timestamp: what failed is found and published when it is tried again',
    ],
    broken: queueing(({ advance }) => ({
      advance: (reader, step) =>
        advance(reader, {
          ...step,
          failed: step.failed.map((one) => ({ ...one, epoch: 1, timestampMs: 0 })),
        }),
    })),
  },
  {
    suite: 'Traps',
    name: 'failures under the idx of their queue',
    noticedBy: ['failures under the idx of their queue: those of two queues do not overwrite each other'],
    broken: queueing(({ read }) => ({
      read: (shard, after, limit) =>
        read(shard, after, limit).map((found) => (shard.queue === 'failed' ? found.slice(-1) : found)),
    })),
  },
  {
    suite: 'Traps',
    name: 'an offset that is read from the elements',
    noticedBy: ['an offset that is read from the elements: it stands when they are gone, for its own group'],
    broken: queueing(({ read }) => ({
      offset: (reader) => read(reader, 0, 1_000).map((found) => found.at(-1)?.element.idx),
    })),
  },
  {
    suite: 'Traps',
    name: 'a first offset that is compared with NULL',
    noticedBy: ['a comparison with a first NULL: the first offset is written, and only once'],
    broken: queueing(({ advance }) => ({
      advance: (reader, step) => (step.from === undefined ? okAsync(undefined) : advance(reader, step)),
    })),
  },
  {
    suite: 'Traps',
    name: 'an update that matched no row and looks like success',
    noticedBy: ['an update that matches no row: the caller hears of it, and its failures are not stored'],
    broken: queueing(({ advance }) => ({
      advance: (reader, step) => advance(reader, step).orElse(() => okAsync(undefined)),
    })),
  },
  {
    suite: 'Traps',
    name: 'rows without a body that are skipped',
    noticedBy: ['a tombstone has no document: its deletion is published all the same'],
    broken: queueing(({ read }) => ({
      read: (shard, after, limit) =>
        read(shard, after, limit).map((found) => found.filter(({ row }) => row?.body !== undefined)),
    })),
  },
  {
    suite: 'Traps',
    name: 'rows with timestamps in seconds',
    noticedBy: ['a timestamp that a store rounds: at 999 ms element and row still meet'],
    broken: queueing(({ read }) => ({
      read: (shard, after, limit) =>
        read(shard, after, limit).map((found) =>
          found.map(({ element, row }) => ({
            element,
            row: row && {
              ...row,
              place: { ...row.place, timestampMs: Math.floor(row.place.timestampMs / 1_000) * 1_000 },
            },
          })),
        ),
    })),
  },
  {
    suite: 'Traps',
    name: 'rows that a ttl of the database deletes',
    noticedBy: ['a ttl of the database: what runs out stays until its deletion is queued, and is remembered'],
    broken: (right) => ({
      ...right,
      registry: {
        ...right.registry,
        find: (client, epoch, pks) =>
          right.registry
            .find(client, epoch, pks)
            .map((rows) => rows.filter(({ expiresAtMs = Infinity }) => expiresAtMs > Date.now())),
      },
    }),
  },
];

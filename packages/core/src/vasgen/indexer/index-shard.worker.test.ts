import { err, errAsync, ok, okAsync, type ResultAsync } from 'neverthrow';
import { expect, onTestFinished, test } from 'vitest';
import {
  silentTelemetry,
  unavailable,
  type Clock,
  type LogRecord,
  type PublishError,
  type PublishOptions,
} from '../../kernel/index.ts';
import { eventually, manualClock, memoryDatabase, realClock, realRandom } from '../../kernel/testing.ts';
import { placeOf, type RawDocument } from '../document/raw-document.ts';
import { openVasgen } from '../open-vasgen.ts';
import type { QueueName } from '../queues/queue-element.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import type { Lane } from '../registry/registry-row.ts';
import { defaultVasgenSettings } from '../settings.ts';
import { sampleClient, sampleDocument, sampleWrite } from '../testing/document-samples.ts';
import { inMemoryVasgenStores } from '../testing/in-memory-vasgen.ts';
import { inMemoryArchivePorts } from '../testing/in-memory-archive-ports.ts';
import { jsonVasgenCodecs } from '../testing/json-vasgen-codecs.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import type { IndexerSettings } from './index-shard.worker.ts';

const client = sampleClient();
const SHARDS = 2;
/** Keys of the shard that is worked on. */
const pks = Array.from({ length: 40 }, (_, n) => `d${n}`).filter((pk) => documentShard(pk, SHARDS) === 0);
const document = (pk: string, version = 1): RawDocument =>
  sampleDocument({ pk, version, composedAtMs: Date.now(), fields: sampleDocument().fields });

type Publish = (records: readonly LogRecord[], options?: PublishOptions) => ResultAsync<void, PublishError>;
const open = async (options: {
  readonly publish?: (published: LogRecord[]) => Publish;
  readonly stores?: (stores: VasgenStores) => VasgenStores;
  readonly unreadable?: () => readonly string[];
  readonly clock?: Clock;
  readonly indexer?: Partial<IndexerSettings>;
}) => {
  const { clock = realClock } = options;
  const published: LogRecord[] = [];
  const real = inMemoryVasgenStores(memoryDatabase({ nowMs: () => clock.nowMs() }));
  const stores = options.stores?.(real) ?? real;
  const publish: Publish =
    options.publish?.(published) ?? ((records) => (published.push(...records), okAsync(undefined)));
  const retry = { firstMs: 1, factor: 1, maxMs: 2, jitter: 0 };
  const vasgen = openVasgen(
    {
      ...inMemoryArchivePorts(),
      stores,
      codecs: {
        ...jsonVasgenCodecs,
        document: {
          encode: jsonVasgenCodecs.document.encode,
          decode: (bytes) =>
            jsonVasgenCodecs.document
              .decode(bytes)
              .andThen((read) =>
                options.unreadable?.().includes(read.pk)
                  ? err({ kind: 'Malformed' as const, what: 'document' })
                  : ok(read),
              ),
        },
      },
      log: { promises: { fences: false, joinsTransactions: false }, publish } as never,
      clock,
      random: realRandom,
      telemetry: silentTelemetry,
    },
    {
      ...defaultVasgenSettings,
      clients: [client],
      shards: SHARDS,
      indexer: {
        ...defaultVasgenSettings.indexer,
        idleMs: 20,
        attemptsMax: 3,
        retry,
        rates: { main: undefined, bulk: undefined, emergency: undefined, failed: undefined },
        ...options.indexer,
      },
    },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  const stop = new AbortController();
  const lease = { shard: 0, token: 1, isHeld: () => true };
  const start = (queue: QueueName) =>
    vasgen.workers.indexShard(client, queue)(lease as never, stop.signal, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await vasgen.close();
  });
  const receiveIn = async (lane: Lane, ...documents: readonly RawDocument[]) =>
    (await vasgen.useCases.receiveDocuments(client, documents, lane))._unsafeUnwrap();
  const receive = (...documents: readonly RawDocument[]) => receiveIn('main', ...documents);
  const reader = { client, queue: 'main' as const, shard: 0, group: defaultVasgenSettings.indexer.group };
  const offset = async () => (await real.queues.offset(reader))._unsafeUnwrap();
  const keys = () => published.map(({ key }) => key);
  return { vasgen, real, published, keys, receive, receiveIn, start, offset, reader };
};
test('[V7] documents are published in order, and the offset stands behind the last one', async () => {
  const { receive, start, keys, offset } = await open({});
  void start('main');
  await receive(...pks.slice(0, 3).map((pk) => document(pk)));
  await eventually(() => expect(keys()).toEqual(pks.slice(0, 3)));
  await eventually(async () => expect(await offset()).toBe(3));
});

test('[V7] the offset does not move before the publish was acknowledged', async () => {
  let isAway = true;
  let tries = 0;
  const world = await open({
    publish: (published) => (records) => {
      tries++;
      if (isAway) return errAsync(unavailable('log'));
      published.push(...records);
      return okAsync(undefined);
    },
  });
  void world.start('main');
  await world.receive(document(pks[0]!));
  await eventually(() => expect(tries).toBeGreaterThan(3));
  expect(await world.offset()).toBeUndefined();
  isAway = false;
  await eventually(async () => expect(await world.offset()).toBe(1));
  expect(world.keys()).toEqual([pks[0]]);
});

test('[V7] a worker whose offset another one has moved goes on from there, and overwrites nothing', async () => {
  let isFirst = true;
  const world = await open({
    stores: (stores) => ({
      ...stores,
      queues: {
        ...stores.queues,
        advance: (reader, advance) => {
          if (!isFirst) return stores.queues.advance(reader, advance);
          isFirst = false;
          // Another worker has done two elements meanwhile.
          return stores.queues
            .advance(reader, { from: undefined, to: 2, failed: [], parked: [] })
            .andThen(() => stores.queues.advance(reader, advance));
        },
      },
    }),
  });
  await world.receive(...pks.slice(0, 3).map((pk) => document(pk)));
  void world.start('main');
  await eventually(async () => expect(await world.offset()).toBe(3));
  expect(world.keys().filter((key) => key === pks[2]).length).toBe(2);
});

test('[V7] a record that is too large for the topic fails alone, the others are published', async () => {
  const world = await open({
    publish: (published) => (records) => {
      const at = records.findIndex(({ key }) => key === pks[1]);
      if (at >= 0)
        return errAsync({
          kind: 'RecordsTooLarge',
          records: [{ index: at, topic: 't', key: pks[1]!, bytes: 2, bytesMax: 1 }],
        });
      published.push(...records);
      return okAsync(undefined);
    },
  });
  void world.start('main');
  await world.receive(...pks.slice(0, 3).map((pk) => document(pk)));
  await eventually(async () => expect(await world.offset()).toBe(3));
  expect(world.keys()).toEqual([pks[0], pks[2]]);
  const failed = (await world.real.queues.read({ ...world.reader, queue: 'failed' }, 0, 10))._unsafeUnwrap();
  expect(
    failed.map(({ element }) => [element.pk, element.failure?.attempts, element.failure?.queue]),
  ).toEqual([[pks[1], 1, 'main']]);
});

test('[V7] a document that can not be converted is parked after its attempts, and can be replayed when the code is mended', async () => {
  let isBroken = true;
  const world = await open({ unreadable: () => (isBroken ? [pks[0]!] : []) });
  for (const queue of ['main', 'failed', 'emergency'] as const) void world.start(queue);
  await world.receive(document(pks[0]!), document(pks[1]!));
  await eventually(async () => {
    const parked = (await world.vasgen.useCases.repairQueues.failed(client, { limit: 10 }))._unsafeUnwrap();
    expect(parked).toMatchObject([{ pk: pks[0], failure: { attempts: 3, queue: 'main' } }]);
  });
  expect(world.keys()).toEqual([pks[1]]);
  const { repairQueues } = world.vasgen.useCases;
  expect((await repairQueues.replay(client, [], true))._unsafeUnwrap()[0]?.reason).toContain(
    'can not be read',
  );
  isBroken = false;
  expect((await repairQueues.replay(client, [pks[0]!], true))._unsafeUnwrap()[0]?.reason).toBeUndefined();
  expect(world.keys()).toEqual([pks[1]]);
  await repairQueues.replay(client, [], false);
  await eventually(() => expect(world.keys()).toEqual([pks[1], pks[0]]));
  expect((await repairQueues.failed(client, { limit: 10 }))._unsafeUnwrap()).toEqual([]);
});

test('[V6] a document that is sent again travels through emergency with its present state', async () => {
  const world = await open({});
  void world.start('emergency');
  await world.receive(document(pks[0]!, 1), document(pks[0]!, 2));
  const { repairQueues } = world.vasgen.useCases;
  expect((await repairQueues.resend(client, undefined, [pks[0]!, 'unknown']))._unsafeUnwrap()).toBe(1);
  await eventually(() => expect(world.keys()).toEqual([pks[0]]));
  const { place } = jsonVasgenCodecs.indexed.decode(world.published[0]!.value)._unsafeUnwrap();
  expect(place.version).toBe(2);
  const all = (
    await repairQueues.resendAll(client, { epoch: undefined, sinceMs: 0, cursor: '' })
  )._unsafeUnwrap();
  expect(all).toEqual({ documents: 1, next: undefined });
  const none = await repairQueues.resendAll(client, {
    epoch: undefined,
    sinceMs: Date.now() + 1e6,
    cursor: '',
  });
  expect(none._unsafeUnwrap().documents).toBe(0);
  const bad = await repairQueues.resendAll(client, { epoch: undefined, sinceMs: 0, cursor: 'x' });
  expect(bad._unsafeUnwrapErr()).toMatchObject({ violations: [{ path: 'cursor' }] });
});

test.each(['bulk', 'emergency'] as const)(
  '[V6] %s goes at its own rate, and main never waits for it',
  async (slow) => {
    const time = manualClock(Date.now());
    const rates = { main: undefined, bulk: 1, emergency: 1, failed: undefined };
    const world = await open({ clock: time.clock, indexer: { rates } });
    for (const queue of ['main', 'bulk', 'emergency'] as const) void world.start(queue);
    /** Waits as long as a commit needs, which is less than the time of one document. */
    const soon = async <T>(work: Promise<T>): Promise<T> => {
      await time.advance(50);
      await time.advance(50);
      return work;
    };
    const count = (pk: string): number => world.keys().filter((key) => key === pk).length;
    const { repairQueues } = world.vasgen.useCases;
    const sendSlowly = (...some: readonly string[]): Promise<unknown> =>
      slow === 'bulk'
        ? world.receiveIn('bulk', ...some.map((pk) => document(pk, 2)))
        : repairQueues.resend(client, 1, some);
    await soon(world.receive(...pks.slice(0, 11).map((pk) => document(pk))));
    expect(world.keys()).toEqual(pks.slice(0, 11));
    await soon(sendSlowly(...pks.slice(0, 10)));
    expect(count(pks[9]!)).toBe(2);
    // Ten documents are ten seconds.
    await soon(sendSlowly(pks[10]!));
    for (let version = 1; version <= 20; version++) {
      await soon(world.receive(document(pks[12]!, version)));
      expect(count(pks[12]!)).toBe(version);
    }
    expect(count(pks[10]!)).toBe(1);
    await time.advance(10_000);
    expect(count(pks[10]!)).toBe(2);
  },
);

test('[V7] a document goes to every topic of its client before the offset moves', async () => {
  let isAway = true;
  let tries = 0;
  const world = await open({
    indexer: {
      topicsOf: (_client, epoch, pk) =>
        pk === pks[1] ? [`index-${epoch}`, `copies-${epoch}`] : [`index-${epoch}`],
    },
    publish: (published) => (records) => {
      tries++;
      if (isAway) return errAsync(unavailable('log'));
      published.push(...records);
      return okAsync(undefined);
    },
  });
  await world.receive(...pks.slice(0, 2).map((pk) => document(pk)));
  void world.start('main');
  await eventually(() => expect(tries).toBeGreaterThan(2));
  expect(await world.offset()).toBeUndefined();
  isAway = false;
  await eventually(async () => expect(await world.offset()).toBe(2));
  expect(world.published.map(({ topic, key }) => [topic, key])).toEqual([
    ['index-1', pks[0]],
    ['index-1', pks[1]],
    ['copies-1', pks[1]],
  ]);
});

test('[V11] an element of an epoch that is younger than what the indexer knows is published', async () => {
  const world = await open({});
  void world.start('main');
  await world.receive(document(pks[0]!));
  await eventually(() => expect(world.keys()).toEqual([pks[0]]));
  // Another process makes an epoch and receives a document for it.
  const { version } = (await world.real.epochs.load(client))._unsafeUnwrap();
  const epochs = [
    { epoch: 1, state: 'serving' as const },
    { epoch: 9, state: 'building' as const },
  ];
  (await world.real.epochs.change(client, version, epochs))._unsafeUnwrap();
  const young = { ...document(pks[1]!), epoch: 9 };
  const body = jsonVasgenCodecs.document.encode(young);
  const write = sampleWrite({ pk: young.pk, place: placeOf(young), body }, { shard: 0 });
  (await world.real.registry.accept(client, [write]))._unsafeUnwrap();
  await eventually(async () => expect(await world.offset()).toBe(2));
  expect(world.keys()).toEqual([pks[0], pks[1]]);
});

import { errAsync, ok, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { silentTelemetry, unavailable, type Lease, type LogPublisher } from '../../kernel/index.ts';
import {
  inMemoryMessageLog,
  manualClock,
  memoryDatabase,
  memoryLogServer,
  realIds,
  seededRandom,
} from '../../kernel/testing.ts';
import { OFFER_UPDATES, type ExportQueue } from '../ports/export-queue.port.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { jsonGostCodecs } from '../testing/json-codecs.ts';
import { sampleOfferId } from '../testing/samples.ts';
import { distinctPrefix, makeExportShard, type ExportSettings } from './export-shard.ts';

const lease = (token: number): Lease => ({ set: 'gost-export', shard: 0, token });
const one = { shards: 1 };
const open = async () => {
  const time = manualClock(1_000);
  const random = seededRandom(1);
  const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  const server = memoryLogServer(time.nowMs);
  const log = inMemoryMessageLog({ server, clock: time.clock, ids: realIds, random });
  await log.ensureTopics([{ name: OFFER_UPDATES, partitions: 1, retentionMs: 1e9, recordBytesMax: 1e6 }]);
  const told = (): string[] =>
    server.topics.get(OFFER_UPDATES)!.partitions[0]!.records.map(({ key, value }) => {
      const names = new Map([1, 2, 3].map((n) => [String(sampleOfferId(n)), n]));
      return `${names.get(key)} v${jsonGostCodecs.view.decode(value)._unsafeUnwrap().version}`;
    });
  type Given = {
    log?: LogPublisher;
    queue?: ExportQueue;
    token?: number;
    settings?: Partial<ExportSettings>;
  };
  const run = (given: Given = {}) => {
    const stop = new AbortController();
    const work = makeExportShard({
      ...{ queue: stores.queue, log, clock: time.clock, random, logger: silentTelemetry.logger, ...given },
    });
    const ended = work(lease(given.token ?? 1), stop.signal, stop.signal);
    return { ended, stop: async () => (stop.abort('handover'), ended) };
  };
  const left = async () => (await stores.queue.read(0, 100))._unsafeUnwrap().length;
  const made = [1, 2].map((n) => publication(n, { ...one, nowUs: n }));
  const hidden = alteration(made[0]!.offer, { kind: 'hide' }, { ...one, nowUs: 3 });
  await stores.offers.commit([...made, hidden].map((change) => ({ changes: [change] })));
  return { time, stores, log, told, run, left };
};

describe('export of a shard', () => {
  test('[G5] a batch never holds two changes of one offer', async () => {
    const { stores } = await open();
    const rows = (await stores.queue.read(0, 100))._unsafeUnwrap();
    expect(rows).toHaveLength(3);
    expect(distinctPrefix(rows)).toEqual(rows.slice(0, 2));
    expect(distinctPrefix([])).toEqual([]);
    const other = { ...rows[0]!, topic: 'other' };
    expect(distinctPrefix([rows[0]!, other])).toHaveLength(2);
  });
  test('[G5] every change reaches the topic, in order, and the queue is empty', async () => {
    const { time, told, run, left } = await open();
    const worker = run();
    await time.advance(500);
    await worker.stop();
    expect(told()).toEqual(['1 v1', '2 v1', '1 v2']);
    expect(await left()).toBe(0);
  });
  test('[G5] one look brings several batches; what is committed meanwhile comes after them, however old its time', async () => {
    const { time, told, run, left, stores } = await open();
    const looks: number[] = [];
    const late = publication(3, { ...one, nowUs: 0 });
    const queue: ExportQueue = {
      ...stores.queue,
      read: (shard, limit) =>
        stores.queue.read(shard, limit).map(async (records) => {
          looks.push(records.length);
          if (looks.length === 2) await stores.offers.commit([{ changes: [late] }]);
          return records;
        }),
    };
    const worker = run({ queue, settings: { batch: 1 } });
    await time.advance(500);
    await worker.stop();
    expect(told()).toEqual(['1 v1', '2 v1', '1 v2', '3 v1']);
    expect([looks.slice(0, 4), await left()]).toEqual([[1, 2, 1, 0], 0]);
  });
  test('[G5] after large records a look brings one batch only', async () => {
    const { time, run, stores } = await open();
    const limits: number[] = [];
    const queue: ExportQueue = {
      ...stores.queue,
      read: (shard, limit) => (limits.push(limit), stores.queue.read(shard, limit)),
    };
    const worker = run({ queue, settings: { batch: 1, aheadBytes: 1 } });
    await time.advance(500);
    await worker.stop();
    expect(new Set(limits)).toEqual(new Set([1]));
  });
  test('[G5] trap: killed between publish and delete: the next owner repeats, nothing is lost', async () => {
    const { time, told, run, left, stores } = await open();
    const dying: ExportQueue = { ...stores.queue, delete: () => errAsync(unavailable('killed')) };
    const first = run({ queue: dying });
    await time.advance(100);
    await first.stop();
    expect([told(), await left()]).toEqual([['1 v1', '2 v1'], 3]);
    const second = run({ token: 2 });
    await time.advance(500);
    await second.stop();
    expect([told(), await left()]).toEqual([['1 v1', '2 v1', '1 v1', '2 v1', '1 v2'], 0]);
  });
  test('[G5] a publish whose answer was lost is sent again under the same sequence, and stands once', async () => {
    const { time, told, run, log } = await open();
    let lost = 1;
    const forgetful: LogPublisher = {
      ...log,
      publish: (records, options) =>
        log
          .publish(records, options)
          .andThen(() => (lost-- > 0 ? errAsync(unavailable('lost')) : ok(undefined))),
    };
    const worker = run({ log: forgetful });
    await time.advance(5_000);
    await worker.stop();
    expect(told()).toEqual(['1 v1', '2 v1', '1 v2']);
  });
  test('[G5] who takes a shard stops the owner before him, ere he looks', async () => {
    const { time, told, run, log, left } = await open();
    let publishOn = (): void => {};
    const paused = new Promise<void>((resolve) => (publishOn = resolve));
    const slow: LogPublisher = {
      ...log,
      publish: (records, options) =>
        records.length === 0
          ? log.publish(records, options)
          : ResultAsync.fromSafePromise(paused).andThen(() => log.publish(records, options)),
    };
    // He has looked, and is paused; the old one, who does not know of him, goes on meanwhile.
    const young = run({ token: 2, log: slow });
    await time.advance(100);
    const old = run({ token: 1 });
    await time.advance(500);
    publishOn();
    await time.advance(500);
    await Promise.all([old.stop(), young.stop()]);
    expect([told(), await left()]).toEqual([['1 v1', '2 v1', '1 v2'], 0]);
  });
  test('[G5] trap: two workers believe they own one shard: the fence stops the older one', async () => {
    const { time, told, run, left, stores } = await open();
    const young = run({ token: 2 });
    await time.advance(500);
    await young.stop();
    await stores.offers.commit([{ changes: [publication(3, { ...one, nowUs: 9 })] }]);
    const old = run({ token: 1 });
    await time.advance(500);
    await old.stop();
    expect([told().length, await left()]).toEqual([3, 1]);
    const next = run({ token: 3 });
    await time.advance(500);
    await next.stop();
    expect([told(), await left()]).toEqual([['1 v1', '2 v1', '1 v2', '3 v1'], 0]);
  });
});

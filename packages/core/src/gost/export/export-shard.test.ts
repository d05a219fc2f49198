import { errAsync, ok, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import {
  silentTelemetry,
  unavailable,
  type HeldLease,
  type LogPublisher,
  type Telemetry,
} from '../../kernel/index.ts';
import {
  inMemoryMessageLog,
  manualClock,
  memoryDatabase,
  memoryLogServer,
  realIds,
  recordingTelemetry,
  seededRandom,
} from '../../kernel/testing.ts';
import { OFFER_UPDATES, type ExportQueue } from './export-queue.port.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { jsonGostCodecs } from '../testing/json-codecs.ts';
import { sampleOfferId } from '../testing/samples.ts';
import { defaultGostSettings, type ExportSettings } from '../settings.ts';
import { makeExportBell } from './export-bell.ts';
import { distinctPrefix, makeExportShard } from './export-shard.worker.ts';

const lease = (token: number, isHeld = () => true): HeldLease => ({
  set: 'gost-export',
  shard: 0,
  token,
  isHeld,
});
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
    telemetry?: Telemetry;
    isHeld?: () => boolean;
  };
  const bell = makeExportBell();
  const run = (given: Given = {}) => {
    const stop = new AbortController();
    const lost = new AbortController();
    const work = makeExportShard({
      queue: stores.queue,
      bell,
      log,
      clock: time.clock,
      random,
      telemetry: silentTelemetry,
      ...given,
      settings: { ...defaultGostSettings.export, ...given.settings },
    });
    const ended = work(lease(given.token ?? 1, given.isHeld), stop.signal, lost.signal);
    return {
      ended,
      lose: () => (lost.abort(), stop.abort('lost')),
      stop: async () => (stop.abort('handover'), ended),
    };
  };
  const left = async () => (await stores.queue.read(0, 100))._unsafeUnwrap().length;
  const made = [1, 2].map((n) => publication(n, { ...one, nowUs: n }));
  const hidden = alteration(made[0]!.offer, { kind: 'hide' }, { ...one, nowUs: 3 });
  await stores.offers.commit([...made, hidden].map((change) => ({ changes: [change] })));
  return { time, stores, log, bell, told, run, left };
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
  test('[G5] after a quiet time a change leaves at once when its process says so, and those close behind it leave together', async () => {
    const { time, told, run, stores, bell } = await open();
    const worker = run({ settings: { idleMs: 50 } });
    await time.advance(1_000);
    expect(told()).toHaveLength(3);
    const commit = async (n: number): Promise<void> => {
      await stores.offers.commit([{ changes: [publication(n, { ...one, nowUs: 10 + n })] }]);
      bell.ring([0]);
    };
    await commit(3);
    await time.advance(0);
    expect(told()).toHaveLength(4);
    // So soon behind a batch, small ones are gathered.
    await commit(4);
    await commit(5);
    await time.advance(49);
    expect(told()).toHaveLength(4);
    await time.advance(1);
    expect(told()).toHaveLength(6);
    await worker.stop();
  });
  test('[G5] what another process commits leaves after a pause', async () => {
    const { time, told, run, stores } = await open();
    const worker = run({ settings: { idleMs: 50 } });
    await time.advance(1_000);
    await stores.offers.commit([{ changes: [publication(3, { ...one, nowUs: 13 })] }]);
    await time.advance(50);
    expect(told()).toHaveLength(4);
    await worker.stop();
  });
  test('[X23] while the queue cannot be read, a worker asks ever less often and logs once in ten seconds', async () => {
    const { time, run, told, stores } = await open();
    const { telemetry, lines } = recordingTelemetry();
    let reads = 0;
    const away = { now: true };
    const queue: ExportQueue = {
      ...stores.queue,
      read: (shard, limit) => {
        reads++;
        return away.now ? errAsync(unavailable('the database')) : stores.queue.read(shard, limit);
      },
    };
    const worker = run({ queue, telemetry });
    await time.advance(9_000);
    expect(reads).toBeLessThan(12);
    expect(lines.map(({ message }) => message)).toEqual(['export: read failed']);
    await time.advance(60_000);
    expect(reads).toBeLessThan(30);
    expect(lines.length).toBeLessThan(8);
    expect(lines[1]?.['repeated']).toBeGreaterThan(0);
    away.now = false;
    await time.advance(6_000);
    await worker.stop();
    expect(told()).toHaveLength(3);
  });
  const GAUGE = 'doska_gost_oldest_unexported_seconds 0';
  test('[X20] the age of the oldest change grows while a publish hangs, and is 0 when the queue is empty', async () => {
    const { time, run, log } = await open();
    const { telemetry, gauges } = recordingTelemetry();
    let publishOn = (): void => {};
    const broker = new Promise<void>((resolve) => (publishOn = resolve));
    const hanging: LogPublisher = {
      ...log,
      publish: (records, options) =>
        records.length === 0
          ? log.publish(records, options)
          : ResultAsync.fromSafePromise(broker).andThen(() => log.publish(records, options)),
    };
    const worker = run({ log: hanging, telemetry });
    await time.advance(18_000);
    expect(gauges()[GAUGE]).toBeCloseTo(19, 2); // the first change is of second 0, the clock began at second 1
    publishOn();
    await time.advance(1_000);
    expect(gauges()[GAUGE]).toBe(0);
    await worker.stop();
  });
  test('[X20] an unreadable queue has the age of the change known last, or no age', async () => {
    const { time, run, stores } = await open();
    const { telemetry, gauges } = recordingTelemetry();
    const away = { queue: false, after: 1 };
    const queue: ExportQueue = {
      ...stores.queue,
      read: (shard, limit) =>
        away.queue ? errAsync(unavailable('the database')) : stores.queue.read(shard, limit),
      delete: (keys) => stores.queue.delete(keys).andTee(() => (away.queue = --away.after === 0)),
    };
    const worker = run({ queue, telemetry, settings: { batch: 1, readAhead: 1 } });
    await time.advance(10_000);
    expect(gauges()[GAUGE]).toBeCloseTo(11, 2);
    await worker.stop();
    expect(gauges()).toEqual({});
    const blind = run({ queue, telemetry, token: 3 });
    await time.advance(1_000);
    expect(gauges()).toEqual({});
    away.queue = false;
    await time.advance(10_000);
    away.queue = true; // all is exported now
    expect(gauges()[GAUGE]).toBe(0);
    await time.advance(1_000);
    expect(gauges()).toEqual({});
    await blind.stop();
  });
  test('[X20] the gauge of a shard disappears when the shard is handed over, and at once when it is lost', async () => {
    const { time, run, log } = await open();
    const { telemetry, gauges } = recordingTelemetry();
    const first = run({ telemetry });
    await time.advance(1_000);
    expect(gauges()[GAUGE]).toBe(0);
    await first.stop();
    expect(gauges()).toEqual({});
    const second = run({ telemetry, token: 2 });
    await time.advance(1_000);
    expect(Object.keys(gauges())).toEqual([GAUGE]);
    second.lose();
    expect(gauges()).toEqual({});
    await second.ended;
    expect([gauges(), log.promises.fences]).toEqual([{}, true]);
  });
  test('[X22] a worker that wakes up after its lease has ended publishes nothing, neither at first nor again', async () => {
    const { time, run, log, told } = await open();
    let held = true;
    const isHeld = (): boolean => held;
    const minimal: LogPublisher = {
      promises: { ...log.promises, fences: false },
      publish: (records, options = {}) => log.publish(records, options.isHeld && { isHeld: options.isHeld }),
    };
    const failing: LogPublisher = {
      ...minimal,
      publish: (records, options) => {
        const wasHeld = held;
        held = false; // the process is paused while the first attempt fails
        return wasHeld ? errAsync(unavailable('no answer')) : minimal.publish(records, options);
      },
    };
    const first = run({ log: failing, isHeld });
    await time.advance(60_000);
    await first.stop();
    const second = run({ log: minimal, isHeld });
    await time.advance(60_000);
    expect(told()).toEqual([]);
    held = true;
    await time.advance(10_000);
    await second.stop();
    expect(told()).toEqual(['1 v1', '2 v1', '1 v2']);
  });
  test('[X2] a record that is too large for its topic is parked with an alarm, and the others go on', async () => {
    const { time, told, run, left, stores } = await open();
    const { telemetry, lines, counts } = recordingTelemetry();
    const rows = (await stores.queue.read(0, 10))._unsafeUnwrap();
    const huge = { ...rows[0]!, value: new Uint8Array(2e6) };
    const queue: ExportQueue = {
      ...stores.queue,
      read: (shard, limit) =>
        stores.queue
          .read(shard, limit)
          .map((found) => found.map((row) => (row.atUs === huge.atUs ? huge : row))),
    };
    const worker = run({ queue, telemetry });
    await time.advance(5_000);
    await worker.stop();
    expect([told(), await left()]).toEqual([['2 v1', '1 v2'], 0]);
    expect((await stores.queue.parked(0, 10))._unsafeUnwrap()).toMatchObject([
      { key: huge.key, atUs: huge.atUs, reason: 'too large for the topic' },
    ]);
    expect(counts.get(`doska_gost_parked_total ${OFFER_UPDATES}`)).toBe(1);
    expect(lines).toMatchObject([{ level: 'error', key: huge.key, bytes: 2e6 }]);
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

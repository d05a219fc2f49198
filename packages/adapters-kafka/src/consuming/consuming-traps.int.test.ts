import { setTimeout as pause } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BatchHandler, MessageLog, TopicSpec } from '@doska/core/kernel';
import { eventually, freshTopic, readAll, record, recorder, valueOf } from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { API, frameProxy, transactionalId, type FrameProxy } from '../testing/frame-proxy.ts';
import { openKafkaLog, quickSettings } from '../testing/open-log.ts';
import { groupIdOf } from './positions.ts';

describe.skipIf(noKafka())('consuming with kafkajs', () => {
  let brokers: readonly string[];
  let admin: Admin;
  let proxy: FrameProxy;
  let log: MessageLog, close: () => Promise<void>;
  beforeAll(async () => {
    brokers = await testBrokers();
    proxy = await frameProxy(brokers[0]!);
    ({ log, close } = openKafkaLog(brokers, { proxyPort: () => proxy.port }));
    admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: 0 }).admin();
    await admin.connect();
  }, 120_000);
  afterAll(async () => {
    await close?.();
    await admin?.disconnect();
    await proxy?.close();
  });
  const topic = async (partitions = 1): Promise<TopicSpec> => {
    const spec = freshTopic(partitions);
    (await log.ensureTopics([spec]))._unsafeUnwrap();
    return spec;
  };
  const send = async (name: string, ...values: readonly string[]): Promise<void> => {
    (await log.publish(values.map((value) => record(name, 'k', value, { partition: 0 }))))._unsafeUnwrap();
  };
  const committed = async (name: string, partition = 0): Promise<number> => {
    const [answer] = await admin.fetchOffsets({ groupId: groupIdOf('g', name), topics: [name] });
    return Number(answer?.partitions.find((one) => one.partition === partition)?.offset);
  };
  /** A handler that waits to be let go. */
  const held = (): {
    readonly handler: BatchHandler;
    readonly release: () => void;
    readonly calls: () => number;
  } => {
    let release = (): void => {};
    let calls = 0;
    const gate = new Promise<void>((resolve) => (release = resolve));
    onTestFinished(() => release());
    return {
      release,
      calls: () => calls,
      handler: async () => {
        calls++;
        await gate;
        return { kind: 'done' };
      },
    };
  };
  const prune = async (name: string, before: number): Promise<void> => {
    await admin.fetchTopicOffsets(name); // kafkajs deletes only in topics it has heard of
    await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset: String(before) }] });
  };

  test('[K3] a stop waits for the running handler and commits its position', async () => {
    const { name } = await topic();
    await send(name, 'a', 'b', 'c');
    const { handler, release, calls } = held();
    const subscription = log.subscribe({ group: 'g', topic: name, handler });
    await eventually(() => expect(calls()).toBe(1));
    expect(await committed(name)).toBe(0);
    const stopping = subscription.stop();
    await pause(50);
    release();
    await stopping;
    expect(await committed(name)).toBe(3);
  });
  test('[K4] a slow handler delays no other partition', async () => {
    const { name } = await topic(3);
    const slow = held();
    const { handler, news } = recorder();
    const subscription = log.subscribe({
      group: 'g',
      topic: name,
      handler: (batch, signal) => (batch.partition === 0 ? slow.handler : handler)(batch, signal),
    });
    onTestFinished(() => subscription.stop({ drainMs: 0 }));
    await send(name, 'stuck');
    await eventually(() => expect(slow.calls()).toBe(1));
    const tookMs: number[] = [];
    for (let n = 0; n < 10; n++) {
      const beganMs = performance.now();
      (await log.publish([record(name, 'k', `v${n}`, { partition: 1 + (n % 2) })]))._unsafeUnwrap();
      await eventually(() => expect(news()).toContain(`v${n}`), { everyMs: 2 });
      tookMs.push(Math.round(performance.now() - beganMs));
    }
    expect(slow.calls()).toBe(1);
    console.log(`[K4] beside a stuck partition a record took ${tookMs.join(', ')} ms`);
  });
  test('[K4] heartbeats continue while every partition is paused, so the member keeps its partitions', async () => {
    const { name } = await topic(2);
    const { log: tight, close: end } = openKafkaLog(brokers, {
      proxyPort: () => proxy.port,
      settings: { bufferBytesMax: 1 }, // paused as soon as there is anything
    });
    onTestFinished(end);
    let aborts = 0;
    let calls = 0;
    const { handler, release } = held();
    const subscription = tight.subscribe({
      group: 'g',
      topic: name,
      handler: (batch, signal) => {
        calls++;
        signal.addEventListener('abort', () => aborts++);
        return handler(batch, signal);
      },
    });
    (await log.publish([0, 1].map((partition) => record(name, 'k', 'x', { partition }))))._unsafeUnwrap();
    await eventually(() => expect(calls).toBe(2));
    const beats = (): number => proxy.requests.get(API.heartbeat) ?? 0;
    const before = beats();
    await pause(quickSettings.sessionMs * 2);
    expect(beats() - before).toBeGreaterThan(quickSettings.sessionMs / quickSettings.heartbeatMs / 2);
    release();
    await eventually(async () =>
      expect([await committed(name, 0), await committed(name, 1)]).toEqual([1, 1]),
    );
    expect([calls, aborts]).toEqual([2, 0]);
    await subscription.stop();
  });
  test('[K6] the adapter never opens a transaction', async () => {
    const ids: (string | undefined)[] = [];
    const before = new Map(proxy.requests);
    proxy.onRequest = (frame) => {
      if (frame.apiKey === API.initProducerId) ids.push(transactionalId(frame));
      return 'pass';
    };
    onTestFinished(() => void (proxy.onRequest = () => 'pass'));
    const { log: fresh, close: end } = openKafkaLog(brokers, { proxyPort: () => proxy.port });
    onTestFinished(end);
    const { name } = await topic();
    (await fresh.publish([record(name, 'k', 'x')]))._unsafeUnwrap();
    const { handler, news } = recorder();
    const subscription = fresh.subscribe({ group: 'g', topic: name, handler });
    await eventually(() => expect(news()).toEqual(['x']));
    await readAll(fresh, name, 0);
    await subscription.stop();
    const made = (key: number): number => (proxy.requests.get(key) ?? 0) - (before.get(key) ?? 0);
    const { produce, offsetCommit, addPartitionsToTxn, addOffsetsToTxn, endTxn, txnOffsetCommit } = API;
    expect([produce, offsetCommit].every((key) => made(key) > 0)).toBe(true);
    expect([addPartitionsToTxn, addOffsetsToTxn, endTxn, txnOffsetCommit].map(made)).toEqual([0, 0, 0, 0]);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.every((id) => id === undefined)).toBe(true);
  });
  test('[K9] a new group starts at the earliest record, also if no further record comes', async () => {
    const { name } = await topic();
    await send(name, 'old 1', 'old 2', 'old 3');
    await prune(name, 1);
    const { handler, values } = recorder();
    const subscription = log.subscribe({ group: 'g', topic: name, handler });
    onTestFinished(() => subscription.stop());
    await eventually(() => expect(values()).toEqual(['old 2', 'old 3']));
  });
  test('[K9] a position that is deleted while the consumer runs ends it with an error and does not move the group', async () => {
    const { name } = await topic();
    const { log: tight, close: end } = openKafkaLog(brokers, { settings: { bufferBytesMax: 1 } });
    onTestFinished(end);
    const { handler, release, calls } = held();
    const seen = recorder();
    const subscription = tight.subscribe({
      group: 'g',
      topic: name,
      handler: (batch, signal) => {
        seen.seen.push(...batch.records);
        return handler(batch, signal);
      },
    });
    await send(name, 'first');
    await eventually(() => expect(calls()).toBe(1));
    for (let n = 0; n < 6; n++) await send(name, `v${n}`);
    await prune(name, 5);
    release();
    expect((await subscription.ended)._unsafeUnwrapErr()).toMatchObject({
      kind: 'PositionGone',
      position: { topic: name, partition: 0, offset: 1 },
      earliest: 5,
      head: 7,
    });
    expect(seen.values()).toEqual(['first']);
    expect(await committed(name)).toBe(1);
    const again = log.subscribe({ group: 'g', topic: name, handler: recorder().handler });
    expect((await again.ended)._unsafeUnwrapErr()).toMatchObject({
      kind: 'PositionGone',
      position: { offset: 1 },
    });
  });
  test('[K9] a reader whose position was deleted gets an error and does not move', async () => {
    const { name } = await topic();
    await send(name, 'a', 'b');
    const { log: tight, close: end } = openKafkaLog(brokers, { settings: { bufferBytesMax: 1 } });
    const reader = (await tight.read(name, 0, 'earliest'))._unsafeUnwrap();
    onTestFinished(() => reader.close().then(end));
    // One of two: the other is fetched ahead, so that fetching is paused.
    expect((await reader.next({ recordsMax: 1 }))._unsafeUnwrap().map(valueOf)).toEqual(['a']);
    for (let n = 0; n < 6; n++) await send(name, `v${n}`);
    await prune(name, 6);
    expect((await reader.next())._unsafeUnwrap().map(valueOf)).toEqual(['b']);
    await pause(300); // time enough for kafkajs to jump
    const gone = { kind: 'PositionGone', position: { offset: 2 }, earliest: 6, head: 8 };
    expect((await reader.next({ waitMs: 5_000 }))._unsafeUnwrapErr()).toMatchObject(gone);
    expect(reader.position().offset).toBe(2);
  });
  test('[K9] unused offsets are not reported as lost: transactions of other clients leave such holes', async () => {
    const { name } = await topic();
    const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: 0 });
    const foreign = kafka.producer({
      transactionalId: `of-${name}`,
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    });
    await foreign.connect();
    for (const [value, end] of [
      ['kept 1', 'commit'],
      ['never', 'abort'],
      ['kept 2', 'commit'],
    ] as const) {
      const transaction = await foreign.transaction();
      await transaction.send({ topic: name, messages: [{ key: 'k', value, partition: 0 }] });
      await transaction[end]();
    }
    await foreign.disconnect();
    const { handler, values } = recorder();
    const subscription = log.subscribe({ group: 'g', topic: name, handler });
    onTestFinished(() => subscription.stop());
    await eventually(() => expect(values()).toEqual(['kept 1', 'kept 2']));
    expect((await readAll(log, name, 0)).map(valueOf)).toEqual(['kept 1', 'kept 2']);
  });
});

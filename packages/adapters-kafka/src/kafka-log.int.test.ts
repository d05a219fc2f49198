import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  deadTopicOf,
  deadTopicSpec,
  silentTelemetry,
  withDeadLetters,
  type Codec,
  type DeadLetter,
  type MessageLog,
} from '@doska/core/kernel';
import {
  eventually,
  freshTopic,
  readAll,
  realClock,
  record,
  recorder,
  valueOf,
} from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { openKafkaLog } from './testing/open-log.ts';

/** What only a log on Kafka has to prove. */
describe.skipIf(noKafka())('a log on Kafka', () => {
  let brokers: readonly string[];
  let log: MessageLog, close: () => Promise<void>;
  beforeAll(async () => {
    brokers = await testBrokers();
    ({ log, close } = openKafkaLog(brokers));
  }, 120_000);
  afterAll(() => close?.());
  const open = (more: Parameters<typeof openKafkaLog>[1]): MessageLog => {
    const one = openKafkaLog(brokers, more);
    onTestFinished(one.close);
    return one.log;
  };

  test.each(['none', 'gzip'] as const)(
    '[B6] records of up to 1 MiB, compression %s; one byte more is refused',
    async (compression) => {
      const spec = { ...freshTopic(1), recordBytesMax: 1 << 20 };
      const compressing = open({ settings: { compression } });
      (await compressing.ensureTopics([spec]))._unsafeUnwrap();
      const largest = Buffer.alloc((1 << 20) - 1, 'x');
      const all = Array.from({ length: 3 }, () => ({ topic: spec.name, key: 'k', value: largest }));
      expect(await compressing.publish(all)).toEqual(ok(undefined));
      const tooLarge = { topic: spec.name, key: 'k', value: Buffer.alloc(1 << 20, 'x') };
      expect(await compressing.publish([tooLarge])).toMatchObject({
        error: { kind: 'RecordsTooLarge', records: [{ index: 0, bytes: (1 << 20) + 1, bytesMax: 1 << 20 }] },
      });
      const stored = await readAll(log, spec.name, 0);
      expect(stored.map(({ value }) => Buffer.compare(value, largest))).toEqual([0, 0, 0]);
    },
  );
  test('[B6] a call of 5 000 records for several partitions and topics is stored completely and in order', async () => {
    const specs = [freshTopic(3), freshTopic(1)];
    (await log.ensureTopics(specs))._unsafeUnwrap();
    const records = Array.from({ length: 5_000 }, (_, n) =>
      record(specs[n % 2]!.name, `k${n % 11}`, String(n).padStart(4, '0')),
    );
    (await log.publish(records))._unsafeUnwrap();
    for (const { name, partitions } of specs) {
      const stored = (
        await Promise.all(Array.from({ length: partitions }, (_, p) => readAll(log, name, p)))
      ).flat();
      expect(stored).toHaveLength(2_500);
      for (let k = 0; k < 11; k++) {
        const own = stored.filter(({ key }) => key === `k${k}`).map(valueOf);
        expect(own).toEqual([...own].sort());
      }
    }
  });
  /** Sets the limit behind the back of a log that already knows the topic. */
  const lowerLimit = async (topic: string, bytes: number): Promise<void> => {
    const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: 0 }).admin();
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topic };
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ ...resource, configEntries: [{ name: 'max.message.bytes', value: String(bytes) }] }],
    });
    await vi.waitFor(async () => {
      const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
      const entry = resources[0]?.configEntries.find(({ configName }) => configName === 'max.message.bytes');
      expect(entry?.configValue).toBe(String(bytes));
    });
    await admin.disconnect();
  };
  test.each(['none', 'gzip'] as const)(
    '[X2] a record that only the broker finds too large is refused for good by its place, and all others are stored; compression %s',
    async (compression) => {
      const lowered = freshTopic(2);
      const other = freshTopic(1);
      const own = open({ settings: { compression, lanes: 1 } });
      (await own.ensureTopics([lowered, other]))._unsafeUnwrap();
      (await own.publish([record(lowered.name, 'warm', 'warm', { partition: 0 })]))._unsafeUnwrap();
      await lowerLimit(lowered.name, 20_000);
      const small = (n: number) =>
        ({ topic: lowered.name, key: `k${n}`, value: randomBytes(1_500), partition: n % 2 }) as const;
      const all = Array.from({ length: 40 }, (_, n) => small(n));
      const large = { topic: lowered.name, key: 'large', value: randomBytes(30_000), partition: 1 };
      const records = [...all.slice(0, 25), large, ...all.slice(25), record(other.name, 'k', 'other')];
      expect(await own.publish(records)).toEqual(
        err({
          kind: 'RecordsTooLarge',
          records: [
            { index: 25, topic: lowered.name, key: 'large', bytes: 30_005, bytesMax: 20_000 - 1_024 },
          ],
        }),
      );
      const stored = async (topic: string, partition: number): Promise<string[]> =>
        // A send of which the broker refuses a part is repeated, so a record may be stored twice.
        [...new Set((await readAll(log, topic, partition)).map(({ key }) => key))];
      const expected = (partition: number) =>
        all.filter((one) => one.partition === partition).map(({ key }) => key);
      expect(await stored(lowered.name, 0)).toEqual(['warm', ...expected(0)]);
      expect(await stored(lowered.name, 1)).toEqual(expected(1));
      expect(await stored(other.name, 0)).toEqual(['k']);
      // From now on the log knows the limit and refuses before it sends.
      expect(await own.publish([large])).toMatchObject({ error: { kind: 'RecordsTooLarge' } });
      expect(await own.publish(all)).toEqual(ok(undefined));
    },
  );
  test('[B7] a poison record becomes a dead letter before the position moves past it', async () => {
    const spec = freshTopic(2);
    (await log.ensureTopics([spec, deadTopicSpec(spec)]))._unsafeUnwrap();
    const codec: Codec<DeadLetter> = {
      encode: ({ reason, position }) =>
        new TextEncoder().encode(JSON.stringify({ reason, offset: position.offset })),
      decode: () => err({ kind: 'Malformed', what: 'not needed here' }),
    };
    const { handler, news } = recorder();
    const subscription = log.subscribe({
      group: 'g',
      topic: spec.name,
      handler: withDeadLetters(
        { log, codec, clock: realClock, logger: silentTelemetry.logger },
        async (one, signal) => {
          if (valueOf(one) === 'poison') return { kind: 'poison', reason: 'unreadable' };
          await handler({ topic: spec.name, partition: one.position.partition, records: [one] }, signal);
          return { kind: 'done' };
        },
      ),
    });
    onTestFinished(() => subscription.stop());
    const values = ['before', 'poison', 'after'];
    (
      await log.publish(values.map((value) => record(spec.name, 'k', value, { partition: 1 })))
    )._unsafeUnwrap();
    await eventually(() => expect(news()).toEqual(['before', 'after']));
    const letters = (await Promise.all([0, 1].map((p) => readAll(log, deadTopicOf(spec.name), p)))).flat();
    expect(letters.map(valueOf)).toEqual([JSON.stringify({ reason: 'unreadable', offset: 1 })]);
    await eventually(async () =>
      expect((await log.lag('g', spec.name))._unsafeUnwrap().map(({ lag }) => lag)).toEqual([0, 0]),
    );
  });
  test('[B7] a member that is stopped while it joins does not keep its partitions', async () => {
    const spec = freshTopic(4);
    (await log.ensureTopics([spec]))._unsafeUnwrap();
    (
      await log.publish([0, 1, 2, 3].map((p) => record(spec.name, 'k', `v${p}`, { partition: p })))
    )._unsafeUnwrap();
    for (const ms of [0, 10, 25, 50, 80]) {
      const brief = log.subscribe({
        group: 'g',
        topic: spec.name,
        handler: () => Promise.resolve({ kind: 'again' }),
      });
      await pause(ms);
      await brief.stop({ drainMs: 0 });
    }
    const { handler, news } = recorder();
    const subscription = log.subscribe({ group: 'g', topic: spec.name, handler });
    onTestFinished(() => subscription.stop());
    await eventually(() => expect(news().sort()).toEqual(['v0', 'v1', 'v2', 'v3']), { withinMs: 10_000 });
  });
  test('[B7] the age of the oldest unread record is reported without reading it', async () => {
    const spec = freshTopic(1);
    (await log.ensureTopics([spec]))._unsafeUnwrap();
    (await log.publish([record(spec.name, 'k', 'a')]))._unsafeUnwrap();
    const { timestampMs } = (await readAll(log, spec.name, 0))[0]!;
    await pause(2_500);
    (await log.publish([record(spec.name, 'k', 'b')]))._unsafeUnwrap();
    const [lag] = (await log.lag('unknown-group', spec.name))._unsafeUnwrap();
    expect(lag).toMatchObject({ committed: undefined, lag: 2, head: 2 });
    expect(Math.abs(lag!.oldestUnreadAtMs! - timestampMs)).toBeLessThanOrEqual(1_000);
  });
  test('[B7] readers do not appear among the groups', async () => {
    const spec = freshTopic(1);
    (await log.ensureTopics([spec]))._unsafeUnwrap();
    (await log.publish([record(spec.name, 'k', 'a')]))._unsafeUnwrap();
    await readAll(log, spec.name, 0);
    const groups = (await log.groups())._unsafeUnwrap();
    expect(groups.filter(({ topic }) => topic === spec.name)).toEqual([]);
    expect(groups.every(({ group }) => !group.startsWith('doska-reader'))).toBe(true);
  });
});

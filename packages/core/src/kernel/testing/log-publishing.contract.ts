import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { shardOf } from '../xxh64.ts';
import type { MessageLog, TopicSpec } from '../ports/message-log.port.ts';
import { freshTopic, publishSurely, readAll, record, valueOf, surely } from './log-probe.ts';
import type { MessageLogHarness, OpenLog } from './log-harness.ts';

export const logPublishingContract = ({ open, publishDated }: MessageLogHarness): void => {
  describe('publishing', () => {
    let opened: OpenLog, log: MessageLog;
    beforeAll(async () => {
      opened = await open();
      ({ log } = opened);
    });
    afterAll(() => opened.close());
    const topic = async (partitions = 4): Promise<TopicSpec> => {
      const spec = freshTopic(partitions);
      await surely(() => log.ensureTopics([spec]));
      return spec;
    };
    const all = async ({ name, partitions }: TopicSpec) =>
      (await Promise.all(Array.from({ length: partitions }, (_, p) => readAll(log, name, p)))).flat();

    test('[B6] key, value and headers are read back unchanged', async () => {
      const { name } = await topic(1);
      const value = Uint8Array.from({ length: 256 }, (_, i) => i);
      await publishSurely(log, [
        { topic: name, key: 'ключ 🔑', value, headers: { traceparent: '00-1', город: 'Тула' } },
        { topic: name, key: '', value: new Uint8Array() },
      ]);
      const [first, second] = await readAll(log, name, 0);
      expect(first).toMatchObject({ key: 'ключ 🔑', headers: { traceparent: '00-1', город: 'Тула' } });
      expect([...first!.value]).toEqual([...value]);
      expect(Math.abs(first!.timestampMs - Date.now())).toBeLessThan(60_000);
      expect(second).toMatchObject({ key: '', headers: {} });
      expect(second!.value).toHaveLength(0);
      expect(second!.position.offset).toBeGreaterThan(first!.position.offset);
    });
    test('[F8] a record has the time of the log, also if the clock of its publisher is an hour behind', async () => {
      const spec = freshTopic(1);
      const [made] = await surely(() => log.ensureTopics([spec]));
      expect(made!.times).toBe('log');
      const late = record(spec.name, 'k', 'late');
      if (publishDated) await publishDated(late, Date.now() - 3_600_000);
      else await publishSurely(log, [late]);
      const [first] = await readAll(log, spec.name, 0);
      expect(Math.abs(first!.timestampMs - Date.now())).toBeLessThan(60_000);
    });
    test('[B6] a key always goes to the partition that its hash selects', async () => {
      const spec = await topic(8);
      const keys = Array.from({ length: 40 }, (_, i) => `key-${i}-ё`);
      await publishSurely(
        log,
        keys.map((key) => record(spec.name, key, key)),
      );
      for (const { key, position } of await all(spec)) expect(position.partition).toBe(shardOf(key, 8));
    });
    test('[B6] an explicit partition is used, and an unknown partition is refused', async () => {
      const { name } = await topic(3);
      await publishSurely(log, [record(name, 'a', 'x', { partition: 2 })]);
      expect((await readAll(log, name, 2)).map(valueOf)).toContain('x');
      expect(await log.publish([record(name, 'a', 'y', { partition: 3 })])).toEqual(
        err({ kind: 'UnknownPartition', topic: name, partition: 3, partitions: 3 }),
      );
      expect(await log.publish([record(name, 'a', 'y', { partition: -1 })])).toEqual(
        err({ kind: 'UnknownPartition', topic: name, partition: -1, partitions: 3 }),
      );
    });
    test('[B6] an unknown topic refuses the whole call', async () => {
      const spec = await topic();
      expect(await log.publish([record(spec.name, 'a', 'x'), record('unknown-topic', 'a', 'y')])).toEqual(
        err({ kind: 'UnknownTopic', topic: 'unknown-topic' }),
      );
      expect(await all(spec)).toEqual([]);
    });
    test('[B6] all oversize records are reported before anything is sent', async () => {
      const spec = await topic();
      const big = 'x'.repeat(100_001);
      const refused = await log.publish([
        record(spec.name, 'small', 'x'),
        record(spec.name, 'k1', big),
        record(spec.name, 'k2', big),
      ]);
      expect(refused._unsafeUnwrapErr()).toMatchObject({
        kind: 'RecordsTooLarge',
        records: [
          { index: 1, key: 'k1', bytesMax: 100_000 },
          { index: 2, key: 'k2' },
        ],
      });
      expect(await all(spec)).toEqual([]);
    });
    test('[B6] publishing no records succeeds', async () => {
      expect(await log.publish([])).toEqual(ok(undefined));
    });
    test('[B6] records of one key keep their order within a call and between acknowledged calls, with 40 callers at once', async () => {
      const spec = await topic(4);
      const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
      const values = Array.from({ length: 12 }, (_, n) => String(n));
      await Promise.all(
        keys.map(async (key) => {
          for (let n = 0; n < 12; n += 3)
            await publishSurely(
              log,
              values.slice(n, n + 3).map((value) => record(spec.name, key, value)),
            );
        }),
      );
      const seen = await all(spec);
      for (const key of keys) {
        const firsts = [...new Set(seen.filter((one) => one.key === key).map(valueOf))];
        expect(firsts).toEqual(values);
      }
    });
    test('[B6] a topic that exists with another number of partitions is refused, and no topic is created', async () => {
      const spec = await topic(4);
      const fresh = freshTopic();
      expect(await log.ensureTopics([fresh, { ...spec, partitions: 5 }])).toEqual(
        err({ kind: 'TopicMismatch', topic: spec.name, partitions: 4, configured: 5 }),
      );
      const names = (await surely(() => log.topics())).map(({ name }) => name);
      expect(names).toContain(spec.name);
      expect(names).not.toContain(fresh.name);
    });
    test('[B6] creating a topic twice changes nothing, also when both calls run at once', async () => {
      const spec = freshTopic();
      const made = await Promise.all(Array.from({ length: 5 }, () => log.ensureTopics([spec])));
      const lives = new Set(made.map((one) => one._unsafeUnwrap()[0]!.log));
      expect(lives.size).toBe(1);
    });

    const fencing = (context: TestContext): void =>
      context.skip(!log.promises.fences, 'this log does not fence');
    test('[X22] records whose lease has ended are not sent', async () => {
      const { name } = await topic(1);
      const refused = await log.publish([record(name, 'k', 'late')], { isHeld: () => false });
      expect(refused._unsafeUnwrapErr().kind).toBe('Unavailable');
      await surely(() => log.publish([record(name, 'k', 'in time')], { isHeld: () => true }));
      expect((await readAll(log, name, 0)).map(valueOf)).not.toContain('late');
    });
    test('[B6] a fence refuses a lower token and stores none of its records', async (context) => {
      fencing(context);
      const { name } = await topic(1);
      const resource = `shard-of-${name}`;
      const publish = (value: string, token: number, sequence: number) =>
        log.publish([record(name, 'k', value)], { fence: { resource, token, sequence } });
      expect(await publish('old owner', 3, 1)).toEqual(ok(undefined));
      expect(await publish('new owner', 5, 1)).toEqual(ok(undefined));
      expect(await publish('zombie', 3, 2)).toEqual(
        err({ kind: 'Fenced', resource, token: 3, highestToken: 5 }),
      );
      expect((await readAll(log, name, 0)).map(valueOf)).toEqual(['old owner', 'new owner']);
    });
    test('[B6] a known sequence is a resend: it is acknowledged and not stored again', async (context) => {
      fencing(context);
      const { name } = await topic(1);
      const fence = (sequence: number) => ({ fence: { resource: `shard-of-${name}`, token: 1, sequence } });
      for (const sequence of [1, 1, 2, 1, 2, 3])
        expect((await log.publish([record(name, 'k', `v${sequence}`)], fence(sequence))).isOk()).toBe(true);
      expect((await readAll(log, name, 0)).map(valueOf)).toEqual(['v1', 'v2', 'v3']);
    });
    test('[B6] an empty publish under a fence stores nothing and refuses lower tokens from then on', async (context) => {
      fencing(context);
      const { name } = await topic(1);
      const fence = (token: number) => ({ fence: { resource: `shard-of-${name}`, token, sequence: 1 } });
      expect(await log.publish([], fence(5))).toEqual(ok(undefined));
      const zombie = await log.publish([record(name, 'k', 'zombie')], fence(4));
      expect(zombie._unsafeUnwrapErr().kind).toBe('Fenced');
      expect(await readAll(log, name, 0)).toEqual([]);
    });
    test('[B6] a refused caller does not fail other callers', async (context) => {
      fencing(context);
      const { name } = await topic(1);
      const resource = `shard-of-${name}`;
      await log.publish([record(name, 'k', 'first')], { fence: { resource, token: 9, sequence: 1 } });
      const outcomes = await Promise.all([
        ...Array.from({ length: 8 }, (_, i) => log.publish([record(name, 'k', `plain ${i}`)])),
        log.publish([record(name, 'k', 'zombie')], { fence: { resource, token: 8, sequence: 1 } }),
        log.publish([record(name, 'k', 'other')], {
          fence: { resource: `other-${name}`, token: 1, sequence: 1 },
        }),
      ]);
      expect(outcomes.map((outcome) => outcome.isOk())).toEqual([
        ...Array.from({ length: 8 }, () => true),
        false,
        true,
      ]);
      const values = (await readAll(log, name, 0)).map(valueOf);
      expect(values).toHaveLength(10);
      expect(values).not.toContain('zombie');
    });
  });
};

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type {
  BatchHandler,
  MessageLog,
  SubscribeOptions,
  Subscription,
  TopicSpec,
} from '../ports/message-log.port.ts';
import { eventually } from './eventually.ts';
import { firstSeenByKey, freshTopic, publishSurely, record, recorder, valueOf, surely } from './log-probe.ts';
import type { MessageLogHarness, OpenLog } from './log-harness.ts';

export const logConsumingContract = ({ open, prune, promises }: MessageLogHarness): void => {
  describe('consuming, one member', () => {
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
    const subscribe = (
      name: string,
      handler: BatchHandler,
      more: Partial<SubscribeOptions> = {},
    ): Subscription => {
      const subscription = log.subscribe({ group: `group-of-${name}`, topic: name, handler, ...more });
      onTestFinished(() => subscription.stop({ drainMs: 500 }));
      return subscription;
    };
    const numbered = (name: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => record(name, `k${(from + i) % 7}`, `v${from + i}`));

    test('[B7] a new group gets every record from the earliest on, in order for each partition', async () => {
      const { name } = await topic();
      await publishSurely(log, numbered(name, 0, 60));
      const { handler, news, seen } = recorder();
      subscribe(name, handler);
      await publishSurely(log, numbered(name, 60, 90));
      await eventually(() => expect(news()).toHaveLength(90));
      for (const [, values] of firstSeenByKey(seen)) {
        const order = values.map((value) => Number(value.slice(1)));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    });
    test('[B7] a batch is never empty, belongs to one partition and stays within its limits', async () => {
      const { name } = await topic(2);
      await publishSurely(log, numbered(name, 0, 50));
      const sizes: number[] = [];
      let mixed = false;
      const { handler, news } = recorder();
      subscribe(
        name,
        (batch, signal) => {
          sizes.push(batch.records.length);
          mixed ||= batch.records.some(
            ({ position }) => position.partition !== batch.partition || position.topic !== name,
          );
          return handler(batch, signal);
        },
        { batchRecordsMax: 10 },
      );
      await eventually(() => expect(news()).toHaveLength(50));
      expect(mixed).toBe(false);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
    });
    test('[B7] the position moves after the handler, and a restarted member continues where it stopped', async () => {
      const { name } = await topic();
      await publishSurely(log, numbered(name, 0, 30));
      const first = recorder();
      const subscription = subscribe(name, first.handler);
      await eventually(() => expect(first.news()).toHaveLength(30));
      await subscription.stop();
      expect((await subscription.ended).isOk()).toBe(true);
      await publishSurely(log, numbered(name, 30, 40));
      const second = recorder();
      subscribe(name, second.handler);
      await eventually(() =>
        expect(second.news()).toEqual(expect.arrayContaining(numbered(name, 30, 40).map(valueOf))),
      );
      if (promises.knownOutcomes) expect(second.seen).toHaveLength(10);
    });
    test('[B7] a batch that was not finished at a stop is delivered again', async () => {
      const { name } = await topic(1);
      await publishSurely(log, numbered(name, 0, 3));
      let calls = 0;
      const stuck = subscribe(name, async (_batch, signal) => {
        calls++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { kind: 'done' };
      });
      await eventually(() => expect(calls).toBe(1));
      await stuck.stop({ drainMs: 100 });
      const { handler, news } = recorder();
      subscribe(name, handler);
      await eventually(() => expect(news()).toEqual(['v0', 'v1', 'v2']));
    });
    test('[B7] a blocked partition delays no other one and continues in order', async () => {
      const { name } = await topic(3);
      const parts = [0, 1, 2].flatMap((p) =>
        [1, 2, 3].map((n) => record(name, `p${p}`, `${p}.${n}`, { partition: p })),
      );
      await publishSurely(log, parts);
      const { handler, seen, news } = recorder();
      let refusals = 0;
      subscribe(name, (batch, signal) => {
        if (batch.partition === 0 && refusals < 3) {
          refusals++;
          return Promise.resolve({ kind: 'blocked', retryAtMs: Date.now() + 150, reason: 'not yet' });
        }
        return handler(batch, signal);
      });
      await eventually(() => expect(news()).toEqual(expect.arrayContaining(['1.3', '2.3'])));
      await eventually(() => expect(news()).toHaveLength(9));
      expect(refusals).toBe(3);
      expect(firstSeenByKey(seen).get('p0')).toEqual(['0.1', '0.2', '0.3']);
    });
    test('[B7] records handled before a block are not delivered again', async () => {
      const { name } = await topic(1);
      await publishSurely(
        log,
        ['a', 'b', 'c', 'd'].map((value) => record(name, 'k', value)),
      );
      const batches: string[][] = [];
      subscribe(name, (batch) => {
        batches.push(batch.records.map(valueOf));
        return Promise.resolve(
          batches.length === 1
            ? {
                kind: 'blocked',
                retryAtMs: Date.now() + 50,
                reason: 'half',
                handled: Math.min(2, batch.records.length),
              }
            : { kind: 'done' },
        );
      });
      await eventually(() => expect(batches.slice(1).flat()).toContain('d'));
      if (promises.knownOutcomes)
        expect(batches.flat().slice(batches[0]!.length)).toEqual(
          ['a', 'b', 'c', 'd'].slice(Math.min(2, batches[0]!.length)),
        );
    });
    test('[B7] the outcome `later` brings the rest again, together with records that came meanwhile', async () => {
      const { name } = await topic(1);
      await publishSurely(log, [record(name, 'k', 'a')]);
      const batches: string[][] = [];
      subscribe(name, ({ records }) => {
        batches.push(records.map(valueOf));
        return Promise.resolve(
          records.length < 2 ? { kind: 'later', retryAtMs: Date.now() + 50 } : { kind: 'done' },
        );
      });
      await eventually(() => expect(batches.length).toBeGreaterThan(0));
      await publishSurely(log, [record(name, 'k', 'b')]);
      await eventually(() => expect(batches.at(-1)!.slice(0, 2)).toEqual(['a', 'b']));
      expect(batches.slice(0, -1).every((batch) => batch.join() === 'a')).toBe(true);
    });
    test('[B7] the outcome `again` calls the handler at once with the rest and is not a failure', async () => {
      const { name } = await topic(1);
      await publishSurely(
        log,
        ['a', 'b', 'c'].map((value) => record(name, 'k', value)),
      );
      let slices = 0;
      const { handler, news } = recorder();
      const startedMs = Date.now();
      subscribe(name, (batch, signal) =>
        ++slices <= 50 ? Promise.resolve({ kind: 'again' }) : handler(batch, signal),
      );
      await eventually(() => expect(news()).toEqual(['a', 'b', 'c']));
      expect(slices).toBeGreaterThan(50);
      expect(Date.now() - startedMs).toBeLessThan(14_000); // fifty waits of a failing handler would take minutes
    });
    test('[B7] a handler that throws is called again and delays no other partition', async () => {
      const { name } = await topic(2);
      await publishSurely(log, [
        record(name, 'a', 'poison', { partition: 0 }),
        record(name, 'b', 'fine', { partition: 1 }),
      ]);
      const { handler, news } = recorder();
      let throws = 0;
      subscribe(name, (batch, signal) => {
        if (batch.partition === 0 && throws < 2) {
          throws++;
          throw new Error('bug in a handler');
        }
        return handler(batch, signal);
      });
      await eventually(() => expect(news().sort()).toEqual(['fine', 'poison']));
      expect(throws).toBe(2);
    });
    test('[B7] a slow partition does not delay other partitions', async () => {
      const { name } = await topic(2);
      const { handler, news } = recorder();
      let release = (): void => {};
      const held = new Promise<void>((resolve) => (release = resolve));
      onTestFinished(() => release());
      subscribe(name, async (batch, signal) => {
        if (batch.partition === 0) await held;
        return handler(batch, signal);
      });
      await publishSurely(log, [record(name, 'slow', 'slow', { partition: 0 })]);
      for (let i = 0; i < 5; i++) {
        await publishSurely(log, [record(name, 'quick', `quick ${i}`, { partition: 1 })]);
        await eventually(() => expect(news()).toContain(`quick ${i}`));
      }
      expect(news()).not.toContain('slow');
      release();
      await eventually(() => expect(news()).toContain('slow'));
    });
    test('[B7] an unknown topic ends the subscription with `UnknownTopic`', async () => {
      const subscription = log.subscribe({
        group: 'g',
        topic: 'unknown-topic',
        handler: recorder().handler,
      });
      expect((await subscription.ended)._unsafeUnwrapErr()).toEqual({
        kind: 'UnknownTopic',
        topic: 'unknown-topic',
      });
    });
    test('[B7] a pruned position ends the subscription with an error; the consumer never jumps', async () => {
      const { name } = await topic(1);
      await publishSurely(log, numbered(name, 0, 1));
      const first = recorder();
      const subscription = subscribe(name, first.handler);
      await eventually(() => expect(first.news()).toEqual(['v0']));
      await eventually(async () =>
        expect((await log.lag(`group-of-${name}`, name))._unsafeUnwrap()[0]!.lag).toBe(0),
      );
      await subscription.stop();
      for (let i = 1; i < 5; i++) await publishSurely(log, numbered(name, i, i + 1));
      await prune(name);
      const second = recorder();
      const late = subscribe(name, second.handler);
      expect((await late.ended)._unsafeUnwrapErr()).toMatchObject({
        kind: 'PositionGone',
        position: { topic: name, partition: 0 },
      });
      expect(second.seen).toEqual([]);
    });
    test('[B7] lag and the age of the oldest unread record can be read', async () => {
      const { name } = await topic(2);
      const group = `group-of-${name}`;
      await publishSurely(log, [record(name, 'a', 'x', { partition: 0 })]);
      const { handler, news } = recorder();
      const subscription = subscribe(name, handler);
      await eventually(() => expect(news()).toEqual(['x']));
      await eventually(async () =>
        expect((await log.lag(group, name))._unsafeUnwrap().map(({ lag }) => lag)).toEqual([0, 0]),
      );
      await subscription.stop();
      await publishSurely(log, [
        record(name, 'a', 'y', { partition: 1 }),
        record(name, 'a', 'z', { partition: 1 }),
      ]);
      const [done, behind] = await surely(() => log.lag(group, name));
      expect(done).toMatchObject({ partition: 0, lag: 0, oldestUnreadAtMs: undefined });
      expect(behind!.lag).toBeGreaterThanOrEqual(2);
      expect(Math.abs(behind!.oldestUnreadAtMs! - Date.now())).toBeLessThan(60_000);
      expect(await surely(() => log.groups())).toContainEqual({ group, topic: name });
    });
  });
};

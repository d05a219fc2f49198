import { describe, expect, onTestFinished, test } from 'vitest';
import type { MessageLog, TopicSpec } from '../ports/message-log.port.ts';
import { eventually } from './eventually.ts';
import { firstSeenByKey, freshTopic, publishSurely, record, recorder, valueOf, surely } from './log-probe.ts';
import type { MessageLogHarness } from './log-harness.ts';

const PARTITIONS = 6;

export const logGroupsContract = ({ open, promises }: MessageLogHarness): void => {
  describe('consuming, several members', () => {
    const world = async (): Promise<{
      readonly log: MessageLog;
      readonly spec: TopicSpec;
      readonly send: (from: number, to: number) => Promise<void>;
    }> => {
      const { log, close } = await open();
      onTestFinished(close);
      const spec = freshTopic(PARTITIONS);
      await surely(() => log.ensureTopics([spec]));
      const send = async (from: number, to: number): Promise<void> => {
        for (let n = from; n < to; n++)
          await publishSurely(
            log,
            Array.from({ length: PARTITIONS }, (_, partition) =>
              record(spec.name, `p${partition}`, `${partition}:${n}`, { partition }),
            ),
          );
      };
      return { log, spec, send };
    };
    const member = async (topic: string, group = 'group') => {
      const { log, crash, close } = await open();
      const seen = recorder();
      const subscription = log.subscribe({ group, topic, handler: seen.handler });
      onTestFinished(async () => {
        await subscription.stop({ drainMs: 200 });
        await close();
      });
      return {
        ...seen,
        subscription,
        crash,
        partitions: () => new Set(seen.seen.map(({ position }) => position.partition)),
      };
    };
    const expected = (to: number): string[] =>
      Array.from({ length: PARTITIONS }, (_, p) => Array.from({ length: to }, (__, n) => `${p}:${n}`)).flat();
    const inOrder = (seen: Parameters<typeof firstSeenByKey>[0]): void => {
      for (const [, values] of firstSeenByKey(seen)) {
        const order = values.map((value) => Number(value.split(':')[1]));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }
    };

    test('[B7] each of two groups gets every record', async () => {
      const { spec, send } = await world();
      const one = await member(spec.name, 'one');
      const other = await member(spec.name, 'other');
      await send(0, 4);
      await eventually(() => expect(new Set(one.values())).toEqual(new Set(expected(4))));
      await eventually(() => expect(new Set(other.values())).toEqual(new Set(expected(4))));
    });
    test('[B7] members share the partitions, and the group gets each record', async () => {
      const { spec, send } = await world();
      const a = await member(spec.name);
      const b = await member(spec.name);
      let sent = 0;
      // Once both have something of a fresh round, the partitions are shared.
      await eventually(async () => {
        await send(sent, ++sent);
        const fresh = (seen: typeof a): number =>
          seen.seen.filter((one) => valueOf(one).endsWith(`:${sent - 1}`)).length;
        await eventually(() => expect(fresh(a) + fresh(b)).toBeGreaterThanOrEqual(PARTITIONS));
        expect(Math.min(fresh(a), fresh(b))).toBeGreaterThanOrEqual(
          promises.knownOutcomes ? PARTITIONS / 2 : 1,
        );
      });
      await eventually(() =>
        expect(new Set([...a.values(), ...b.values()])).toEqual(new Set(expected(sent))),
      );
      inOrder(a.seen);
      inOrder(b.seen);
    });
    test('[B7] a graceful stop hands partitions over at once, without losing or needlessly repeating records', async () => {
      const { spec, send } = await world();
      const a = await member(spec.name);
      const b = await member(spec.name);
      await send(0, 5);
      await eventually(() => expect(new Set([...a.values(), ...b.values()])).toEqual(new Set(expected(5))));
      const sending = send(5, 25);
      await a.subscription.stop();
      await sending;
      await eventually(() => expect(new Set([...a.values(), ...b.values()])).toEqual(new Set(expected(25))));
      if (promises.calmHandover) expect(a.seen.length + b.seen.length).toBe(25 * PARTITIONS);
    });
    test("[B7] a dead member's partitions are taken over within seconds, and no record is lost", async () => {
      const { spec, send } = await world();
      const a = await member(spec.name);
      const b = await member(spec.name);
      await send(0, 5);
      await eventually(() => expect(new Set([...a.values(), ...b.values()])).toEqual(new Set(expected(5))));
      await a.crash();
      await send(5, 15);
      await eventually(() => expect(new Set([...a.values(), ...b.values()])).toEqual(new Set(expected(15))), {
        withinMs: 20_000,
      });
      inOrder(b.seen);
    });
    test('[B7] while members come and go under load, no record is lost and every member keeps the order of a key', async () => {
      const { spec, send } = await world();
      const members = [await member(spec.name)];
      const sending = send(0, 40);
      members.push(await member(spec.name), await member(spec.name));
      await members[0]!.subscription.stop();
      members.push(await member(spec.name));
      await sending;
      const all = (): Set<string> => new Set(members.flatMap(({ values }) => values()));
      await eventually(() => expect(all()).toEqual(new Set(expected(40))), { withinMs: 20_000 });
      members.forEach(({ seen }) => inOrder(seen));
    });
  });
};

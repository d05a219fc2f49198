import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageLog, TopicSpec } from '../ports/message-log.port.ts';
import { eventually } from './eventually.ts';
import { freshTopic, publishSurely, readAll, record, valueOf, surely } from './log-probe.ts';
import type { MessageLogHarness, OpenLog } from './log-harness.ts';

export const logReadingContract = ({ open, prune, recreate, begin }: MessageLogHarness): void => {
  describe('reading without a group', () => {
    let opened: OpenLog, log: MessageLog;
    beforeAll(async () => {
      opened = await open();
      ({ log } = opened);
    });
    afterAll(() => opened.close());
    const filled = async (count: number): Promise<TopicSpec> => {
      const spec = freshTopic(1);
      await surely(() => log.ensureTopics([spec]));
      for (let i = 0; i < count; i++) await publishSurely(log, [record(spec.name, 'k', `v${i}`)]);
      return spec;
    };

    test('[B7] reading from a stored position continues right after the last record', async () => {
      const { name } = await filled(5);
      const reader = await surely(() => log.read(name, 0, 'earliest'));
      const first = await surely(() => reader.next({ recordsMax: 2 }));
      const position = reader.position();
      await reader.close();
      const again = await surely(() => log.read(name, 0, position));
      const rest = await surely(() => again.next({ recordsMax: 100 }));
      await again.close();
      expect([...new Set([...first, ...rest].map(valueOf))]).toEqual(['v0', 'v1', 'v2', 'v3', 'v4']);
      expect(rest[0]!.position.offset).toBeGreaterThan(first.at(-1)!.position.offset);
    });
    test('[B7] an empty log returns no records, and a waiting reader gets the next one', async () => {
      const { name } = await filled(0);
      const reader = await surely(() => log.read(name, 0, 'earliest'));
      expect(await reader.next()).toEqual(ok([]));
      const waiting = reader.next({ waitMs: 20_000 });
      await publishSurely(log, [record(name, 'k', 'news')]);
      expect((await waiting)._unsafeUnwrap().map(valueOf)).toContain('news');
      await reader.close();
    });
    test('[B7] an abort ends the wait of a reader', async () => {
      const { name } = await filled(0);
      const reader = await surely(() => log.read(name, 0, 'earliest'));
      const stop = new AbortController();
      const waiting = reader.next({ waitMs: 60_000, signal: stop.signal });
      stop.abort();
      expect(await waiting).toEqual(ok([]));
      await reader.close();
    });
    test.runIf(begin)(
      '[B6] [B7] a reader that is ahead does not skip a record that commits late',
      async () => {
        const { name } = await filled(1);
        const reader = await surely(() => log.read(name, 0, 'earliest'));
        const late = await begin!([record(name, 'k', 'late')]);
        const after = log.publish([record(name, 'k', 'after')]);
        const seen = [
          ...(await reader.next())._unsafeUnwrap(),
          ...(await reader.next({ waitMs: 200 }))._unsafeUnwrap(),
        ];
        await late.commit();
        expect((await after).isOk()).toBe(true);
        await eventually(async () => {
          seen.push(...(await reader.next({ waitMs: 100 }))._unsafeUnwrap());
          expect(new Set(seen.map(valueOf))).toEqual(new Set(['v0', 'late', 'after']));
        });
        expect(seen.map(({ position }) => position.offset)).toEqual(
          [...seen.map(({ position }) => position.offset)].sort((a, b) => a - b),
        );
        await reader.close();
      },
    );
    test('[B7] an unknown topic or partition is an error', async () => {
      const { name } = await filled(0);
      expect(await log.read('unknown-topic', 0, 'earliest')).toEqual(
        err({ kind: 'UnknownTopic', topic: 'unknown-topic' }),
      );
      expect(await log.read(name, 1, 'earliest')).toEqual(
        err({ kind: 'UnknownPartition', topic: name, partition: 1, partitions: 1 }),
      );
    });
    test('[B7] a pruned position is an error that reports the remaining range; the reader never jumps', async () => {
      const { name } = await filled(4);
      const start = (await readAll(log, name, 0))[0]!.position;
      await prune(name);
      const gone = (await log.read(name, 0, start)).andThen(() => ok('opened'));
      const opening = gone.isErr()
        ? gone.error
        : (await (await log.read(name, 0, start))._unsafeUnwrap().next())._unsafeUnwrapErr();
      expect(opening).toMatchObject({ kind: 'PositionGone', position: start });
      expect((await readAll(log, name, 0)).map(valueOf).at(-1)).toBe('v3');
    });
    test('[B7] a position past the head is an error', async () => {
      const { name } = await filled(2);
      const last = (await readAll(log, name, 0)).at(-1)!.position;
      const ahead = { ...last, offset: last.offset + 1_000 };
      const opened = await log.read(name, 0, ahead);
      const error = opened.isErr() ? opened.error : (await opened.value.next())._unsafeUnwrapErr();
      expect(error).toMatchObject({ kind: 'PositionGone', position: ahead });
    });
    test('[B7] a position of an earlier incarnation of the topic is refused', async () => {
      const spec = await filled(3);
      const old = (await readAll(log, spec.name, 0))[1]!.position;
      await recreate(spec);
      const fresh = await open();
      await publishSurely(fresh.log, [
        record(spec.name, 'k', 'a'),
        record(spec.name, 'k', 'b'),
        record(spec.name, 'k', 'c'),
      ]);
      expect((await fresh.log.read(spec.name, 0, old))._unsafeUnwrapErr()).toMatchObject({
        kind: 'ForeignPosition',
        position: old,
      });
      expect((await readAll(fresh.log, spec.name, 0)).every(({ position }) => position.log !== old.log)).toBe(
        true,
      );
      await fresh.close();
    });
  });
};

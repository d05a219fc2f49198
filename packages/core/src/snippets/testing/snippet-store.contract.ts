import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import {
  ROWS_MAX,
  type RowKey,
  type RowWrite,
  type SnippetWrite,
  type WriteOutcome,
} from '../store/stored-row.ts';
import type { Version } from '../version/version.ts';
import { compareVersions } from '../version/version.ts';

export type SnippetStoreHarness = {
  /** `nowMs` is the database's clock. `forwardMs` moves it where it can be moved, and waits where not. */
  readonly open: () => Promise<{
    readonly store: SnippetStore;
    readonly again: () => SnippetStore;
    readonly nowMs: () => Promise<number>;
    readonly forwardMs: (ms: number) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
};
const DAY_MS = 86_400_000;
const TOMBSTONE = { tombstoneMs: DAY_MS };
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);
let count = 0;
/** A place that no other test uses. */
const freshPlace = (): Pick<RowKey, 'service' | 'kps'> => ({
  service: 'suite',
  kps: ((Date.now() % 1_000_000) * 1_000 + ++count) % 2_147_483_647,
});
const json = (value: unknown) => ({
  format: 'json' as const,
  bytes: new TextEncoder().encode(JSON.stringify(value)),
});
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && new TextDecoder().decode(bytes);

export const snippetStoreContract = (backend: string, { open }: SnippetStoreHarness): void => {
  describe(`SnippetStore contract: ${backend}`, () => {
    let opened: Awaited<ReturnType<SnippetStoreHarness['open']>>;
    let store: SnippetStore;
    beforeAll(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterAll(() => opened.close());

    const keyAt = (key = 'k', language = '', place = freshPlace()): RowKey => ({ ...place, key, language });
    const row = (at: RowKey, value: unknown, ttlMs?: number): RowWrite => ({
      at,
      content: value === undefined ? undefined : json(value),
      ttlMs,
    });
    const commit = async (write: SnippetWrite, options = TOMBSTONE): Promise<WriteOutcome> =>
      (await store.commit([write], options))._unsafeUnwrap()[0]!;
    const put = async (at: RowKey, value: unknown, ttlMs?: number): Promise<Version> => {
      const outcome = await commit({ rows: [row(at, value, ttlMs)] });
      if (outcome.kind !== 'written') expect.fail(outcome.kind);
      return outcome.version;
    };
    const read = async (...keys: readonly RowKey[]) => (await store.read(keys))._unsafeUnwrap();
    const valueAt = async (at: RowKey): Promise<string | undefined> =>
      textOf((await read(at))[0]?.content?.bytes);
    const record = (ms: number, sequence: number, source = 'log/t/0') => ({ ms, sequence, source });

    test('[F9] a snippet is read as it was written, by every process', async () => {
      const at = keyAt('ключ/ %', 'ru');
      const version = await put(at, { a: 1 });
      for (const one of [store, opened.again()]) {
        const [found] = (await one.read([at]))._unsafeUnwrap();
        expect(found!.version).toEqual(version);
        expect([found!.content!.format, textOf(found!.content!.bytes)]).toEqual(['json', '{"a":1}']);
      }
    });
    test('[F9] any bytes in every format are read back, also none', async () => {
      for (const format of ['json', 'pb', 'raw'] as const)
        for (const bytes of [new Uint8Array(), Uint8Array.from({ length: 256 }, (_, i) => i)]) {
          const at = keyAt();
          await commit({ rows: [{ at, content: { format, bytes }, ttlMs: undefined }] });
          const content = (await read(at))[0]!.content!;
          expect([content.format, [...content.bytes]]).toEqual([format, [...bytes]]);
        }
    });
    test('[F9] rows are found by service, prefix, key and language', async () => {
      const at = keyAt('k', 'ru');
      const others = [
        { ...at, service: 'other' },
        { ...at, kps: at.kps + 1 },
        { ...at, key: 'K' },
        { ...at, language: '' },
        { ...at, language: 'en' },
      ];
      await put(at, 1);
      expect(await read(...others)).toEqual(others.map(() => undefined));
      for (const [i, one] of others.entries()) await put(one, i);
      expect(await valueAt(at)).toBe('1');
    });
    test('[F9] a read answers in the order of its keys, also for the same key twice', async () => {
      const place = freshPlace();
      const a = keyAt('a', '', place);
      const b = keyAt('b', '', place);
      await put(a, 'a');
      await put(b, 'b');
      const rows = await read(b, keyAt('none', '', place), a, b);
      expect(rows.map((one) => textOf(one?.content?.bytes))).toEqual(['"b"', undefined, '"a"', '"b"']);
    });
    test('[F9] a read of a thousand rows and a write of a thousand rows work', async () => {
      const place = freshPlace();
      const keys = Array.from({ length: ROWS_MAX }, (_, i) => keyAt(`k${i}`, '', place));
      const outcome = await commit({ rows: keys.map((at) => row(at, at.key)) });
      expect(outcome.kind).toBe('written');
      expect((await read(...keys)).map((one) => textOf(one?.content?.bytes))).toEqual(
        keys.map(({ key }) => `"${key}"`),
      );
    });
    test('[F9] every write gets a greater version that is not before the database’s clock', async () => {
      const at = keyAt();
      let before: Version = { ms: await opened.nowMs(), sequence: -1 };
      for (let i = 0; i < 20; i++) {
        const version = await put(at, i);
        expect(compareVersions(version, before)).toBeGreaterThan(0);
        before = version;
      }
    });
    test('[F9] a write is above a stored version whose clock is ahead', async () => {
      const at = keyAt();
      const aheadMs = (await opened.nowMs()) + DAY_MS;
      await commit({ rows: [row(at, 'topic')], record: record(aheadMs, 41) });
      expect(await put(at, 'api')).toEqual({ ms: aheadMs, sequence: 42 });
      expect(await valueAt(at)).toBe('"api"');
    });
    test('[F9] concurrent writes of one row all get different versions, and the greatest stands', async () => {
      const at = keyAt();
      const versions = await Promise.all(Array.from({ length: 20 }, (_, i) => put(at, i)));
      const sorted = versions
        .map((version, i) => ({ version, i }))
        .sort((a, b) => compareVersions(b.version, a.version));
      expect(new Set(versions.map(({ ms, sequence }) => `${ms}-${sequence}`)).size).toBe(20);
      expect(await valueAt(at)).toBe(String(sorted[0]!.i));
    });
    test('[F9] all rows of a write share one version above every stored one', async () => {
      const place = freshPlace();
      const a = keyAt('a', '', place);
      const b = keyAt('b', '', place);
      const aheadMs = (await opened.nowMs()) + DAY_MS;
      await commit({ rows: [row(b, 'old')], record: record(aheadMs, 7) });
      const outcome = await commit({ rows: [row(a, 1), row(b, 2)] });
      expect(outcome).toMatchObject({ kind: 'written', version: { ms: aheadMs, sequence: 8 } });
      expect((await read(a, b)).map((one) => one!.version)).toEqual([
        { ms: aheadMs, sequence: 8 },
        { ms: aheadMs, sequence: 8 },
      ]);
    });
    test('[F3] a reader never sees half of a write', async () => {
      const place = freshPlace();
      const keys = ['a', 'b', 'c'].map((key) => keyAt(key, '', place));
      await commit({ rows: keys.map((at) => row(at, 0)) });
      let stopped = false;
      const writing = (async () => {
        for (let i = 1; i <= 60; i++) await commit({ rows: keys.map((at) => row(at, i)) });
        stopped = true;
      })();
      while (!stopped) {
        const rows = await read(...keys);
        expect(new Set(rows.map((one) => textOf(one!.content!.bytes))).size).toBe(1);
      }
      await writing;
    });
    test('[F9] a delete leaves a tombstone with its version, also where no row was', async () => {
      const at = keyAt();
      const first = await commit({ rows: [row(at, undefined)] });
      expect(first).toMatchObject({ kind: 'written', rows: [{ wasLive: false }] });
      expect((await read(at))[0]).toMatchObject({ content: undefined });
      await put(at, 1);
      const second = await commit({ rows: [row(at, undefined)] });
      expect(second).toMatchObject({ kind: 'written', rows: [{ wasLive: true }] });
      expect(await read(at)).toEqual([
        { version: (second as { version: Version }).version, content: undefined },
      ]);
    });
    test('[F9] a delete of all languages reaches every stored language of the key and no other key', async () => {
      const place = freshPlace();
      const at = (language: string, key = 'k'): RowKey => keyAt(key, language, place);
      const others = [at('', 'k2'), at('ru', 'k '), at('ru', 'j')];
      for (const one of [at(''), at('ru'), at('zh-hant'), ...others]) await put(one, 1);
      const outcome = await commit({
        rows: [row(at('en'), undefined)],
        allLanguagesOf: [{ ...place, key: 'k' }],
      });
      expect(outcome).toMatchObject({ kind: 'written' });
      const gone = await read(at(''), at('ru'), at('zh-hant'), at('en'));
      expect(gone.map((one) => one?.content)).toEqual([undefined, undefined, undefined, undefined]);
      for (const one of others) expect(await valueAt(one)).toBe('1');
    });
    test.each([
      ['exists, on a live row', { kind: 'exists' }, true, true],
      ['exists, on no row', { kind: 'exists' }, false, false],
      ['absent, on a live row', { kind: 'absent' }, true, false],
      ['absent, on no row', { kind: 'absent' }, false, true],
    ] as const)('[F9] the condition %s', async (_name, condition, live, holds) => {
      for (const before of live ? ['live'] : ['never', 'deleted', 'expired']) {
        const at = keyAt();
        if (before === 'live' || before === 'deleted') await put(at, 'old');
        if (before === 'deleted') await commit({ rows: [row(at, undefined)] });
        if (before === 'expired') {
          const nowMs = await opened.nowMs();
          await commit({ rows: [row(at, 'old', 1_000)], record: record(nowMs - 1_000, 1) });
        }
        const outcome = await commit({ rows: [row(at, 'new')], condition });
        expect(outcome.kind).toBe(holds ? 'written' : 'conditionFailed');
        expect(await valueAt(at)).toBe(holds ? '"new"' : live ? '"old"' : undefined);
      }
    });
    test('[F9] the condition of a version holds for that version only, once', async () => {
      const at = keyAt();
      const version = await put(at, 1);
      const to = (value: number, expected: Version) =>
        commit({ rows: [row(at, value)], condition: { kind: 'version', version: expected } });
      expect(await to(2, { ms: version.ms, sequence: version.sequence + 1 })).toEqual({
        kind: 'conditionFailed',
        version,
      });
      const outcomes = await Promise.all([to(3, version), to(4, version)]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['conditionFailed', 'written']);
    });
    test('[F9] a failed condition leaves nothing behind where no row was', async () => {
      const at = keyAt();
      await commit({ rows: [row(at, 1)], condition: { kind: 'exists' } });
      expect(await read(at)).toEqual([undefined]);
    });
    test('[F9] a record is written if it is newer, and dropped if not', async () => {
      const at = keyAt();
      const nowMs = await opened.nowMs();
      const send = async (ms: number, sequence: number, source?: string) =>
        (await commit({ rows: [row(at, [ms - nowMs, sequence])], record: record(ms, sequence, source) }))
          .kind;
      expect(await send(nowMs - 50, 5)).toBe('written');
      expect(await send(nowMs - 50, 5)).toBe('superseded');
      expect(await send(nowMs - 60, 6)).toBe('written'); // the log's clock went back
      expect(await send(nowMs - 10, 4)).toBe('superseded');
      expect(await send(nowMs - 60, 9, 'log/t/1')).toBe('superseded');
      expect(await send(nowMs - 59, 1, 'log/t/1')).toBe('written');
      expect(await valueAt(at)).toBe('[-59,1]');
      expect((await read(at))[0]!.version).toEqual({ ms: nowMs - 59, sequence: 1 });
    });
    test('[F9] a late record never undoes a newer PUT or DELETE', async () => {
      const nowMs = await opened.nowMs();
      for (const value of ['put', undefined]) {
        const at = keyAt();
        await commit({ rows: [row(at, value)] });
        expect(await commit({ rows: [row(at, 'late')], record: record(nowMs - 1, 3) })).toEqual({
          kind: 'superseded',
        });
        expect(await valueAt(at)).toBe(value === undefined ? undefined : '"put"');
      }
    });
    test('[F9] a record on a group skips the rows that are newer and writes the rest', async () => {
      const place = freshPlace();
      const a = keyAt('a', '', place);
      const b = keyAt('b', '', place);
      const nowMs = await opened.nowMs();
      await put(a, 'newer');
      const outcome = await commit({ rows: [row(a, 'late'), row(b, 'late')], record: record(nowMs - 1, 3) });
      expect(outcome).toMatchObject({ kind: 'written', rows: [{ kind: 'kept' }, { kind: 'written' }] });
      expect([await valueAt(a), await valueAt(b)]).toEqual(['"newer"', '"late"']);
    });
    test('[F9] a record without a row that is older than tombstones live is too old', async () => {
      const at = keyAt();
      const nowMs = await opened.nowMs();
      const old = { rows: [row(at, 1)], record: record(nowMs - DAY_MS - 60_000, 1) };
      expect(await commit(old)).toEqual({ kind: 'tooOld' });
      expect(await read(at)).toEqual([undefined]);
      expect((await commit({ ...old, record: record(nowMs - DAY_MS + 60_000, 1) })).kind).toBe('written');
    });
    test('[F9] an old record is written where an older row is', async () => {
      const at = keyAt();
      const nowMs = await opened.nowMs();
      await commit({ rows: [row(at, 1)], record: record(nowMs - DAY_MS / 2, 1) });
      const later = { rows: [row(at, 2)], record: record(nowMs - DAY_MS / 2, 2) };
      expect((await commit(later, { tombstoneMs: 1_000 })).kind).toBe('written');
    });
    test('[F9] the time to live runs from the version’s time and is exact', async () => {
      const at = keyAt();
      const nowMs = await opened.nowMs();
      await commit({ rows: [row(at, 1, 60_000)], record: record(nowMs - 59_000, 1) });
      expect(await valueAt(at)).toBe('1');
      const over = keyAt();
      await commit({ rows: [row(over, 1, 60_000)], record: record(nowMs - 60_000, 1) });
      expect((await read(over))[0]).toMatchObject({ content: undefined });
    });
    test('[F9] an expired snippet is gone for reads at once, and stays gone for late records', async () => {
      const at = keyAt();
      const version = await put(at, 1, 40);
      await opened.forwardMs(60);
      expect(await read(at)).toEqual([{ version, content: undefined }]);
      const late = { rows: [row(at, 'late')], record: record(version.ms - 1, 1) };
      expect(await commit(late)).toEqual({ kind: 'superseded' });
      for (const shard of SHARDS)
        (await store.purgeDue(shard, { ...TOMBSTONE, limit: 1_000 }))._unsafeUnwrap();
      expect(await commit(late)).toEqual({ kind: 'superseded' });
      expect(await valueAt(at)).toBeUndefined();
    });
    test('[F9] the largest time to live does not overflow', async () => {
      const at = keyAt();
      await put(at, 1, 4_294_967_295 * 60_000);
      expect(await valueAt(at)).toBe('1');
    });
    test('[F9] a purge deletes tombstones that are old enough, in bounded steps, and nothing else', async () => {
      const place = freshPlace();
      const nowMs = await opened.nowMs();
      const old = Array.from({ length: 5 }, (_, i) => keyAt(`old${i}`, '', place));
      const live = keyAt('live', '', place);
      const young = keyAt('young', '', place);
      for (const at of old) await commit({ rows: [row(at, undefined)], record: record(nowMs - 5_000, 1) });
      await put(live, 1);
      await commit({ rows: [row(young, undefined)] });
      const purge = async (shard: number) =>
        (await store.purgeDue(shard, { tombstoneMs: 5_000, limit: 2 }))._unsafeUnwrap();
      const before = await read(...old, live, young);
      expect(before.every((one) => one !== undefined)).toBe(true);
      await opened.forwardMs(5);
      for (const shard of SHARDS) {
        let steps = 0;
        for (let changed = await purge(shard); changed > 0; changed = await purge(shard)) {
          expect(changed).toBeLessThanOrEqual(2);
          expect(++steps).toBeLessThan(1_000);
        }
      }
      // They were written with a longer life, so they are due only later.
      expect((await read(...old)).every((one) => one !== undefined)).toBe(true);
      const again = Array.from({ length: 5 }, (_, i) => keyAt(`again${i}`, '', place));
      for (const at of again)
        await commit(
          // A second of life is left: a slow machine must not make it too old to be stored.
          { rows: [row(at, undefined)], record: record((await opened.nowMs()) - 4_000, 1) },
          { tombstoneMs: 5_000 },
        );
      expect((await read(...again)).every((one) => one !== undefined)).toBe(true);
      await opened.forwardMs(1_100);
      for (const shard of SHARDS) while ((await purge(shard)) > 0);
      expect(await read(...again)).toEqual(again.map(() => undefined));
      expect(await valueAt(live)).toBe('1');
      expect((await read(young))[0]).toMatchObject({ content: undefined });
    });
    test('[F9] a row that was written again is not purged by its old due time', async () => {
      const at = keyAt();
      await put(at, 1, 20);
      await put(at, 2);
      await opened.forwardMs(40);
      for (const shard of SHARDS)
        while ((await store.purgeDue(shard, { ...TOMBSTONE, limit: 100 }))._unsafeUnwrap() > 0);
      expect(await valueAt(at)).toBe('2');
    });
    test('[F9] writes of one call are applied in their order, each with its own outcome', async () => {
      const at = keyAt();
      const nowMs = await opened.nowMs();
      const outcomes = (
        await store.commit(
          [
            { rows: [row(at, 1)], record: record(nowMs - 9, 1) },
            { rows: [row(at, 2)], record: record(nowMs - 9, 2) },
            { rows: [row(at, 1)], record: record(nowMs - 9, 1) },
            { rows: [row(at, 3)], condition: { kind: 'absent' } },
            { rows: [row(at, 4)], condition: { kind: 'exists' } },
          ],
          TOMBSTONE,
        )
      )._unsafeUnwrap();
      expect(outcomes.map(({ kind }) => kind)).toEqual([
        'written',
        'written',
        'superseded',
        'conditionFailed',
        'written',
      ]);
      expect(await valueAt(at)).toBe('4');
    });
    test('[F10] rows of a prefix are listed in the order of their bytes, page by page', async () => {
      const place = freshPlace();
      const keys = ['a', 'a/1', 'b', 'ю', '😀', '\uffee', 'ab'];
      for (const key of keys) await put(keyAt(key, key === 'a' ? 'ru' : '', place), key);
      await put(keyAt('a', '', place), 'a');
      const listed: string[] = [];
      let after: { key: string; language: string } | undefined;
      for (;;) {
        const page = (await store.list(place, { limit: 3, ...(after ? { after } : {}) }))._unsafeUnwrap();
        listed.push(...page.map(({ key, language }) => `${key}:${language}`));
        after = page.at(-1);
        if (page.length < 3) break;
      }
      expect(listed).toEqual(['a:', 'a:ru', 'a/1:', 'ab:', 'b:', 'ю:', '\uffee:', '😀:']);
      const some = (await store.list(place, { prefix: 'a', limit: 100 }))._unsafeUnwrap();
      expect(some.map(({ key }) => key)).toEqual(['a', 'a', 'a/1', 'ab']);
    });
    test('[F6] a prefix is dropped in bounded steps, tombstones included, and no other prefix', async () => {
      const place = freshPlace();
      const other = keyAt('k', '', { ...place, kps: place.kps + 1 });
      await put(other, 1);
      for (let i = 0; i < 5; i++) await put(keyAt(`k${i}`, '', place), i, i === 0 ? 1_000 : undefined);
      await commit({ rows: [row(keyAt('gone', '', place), undefined)] });
      const steps: number[] = [];
      for (;;) {
        steps.push((await store.drop(place, 4))._unsafeUnwrap());
        if (steps.at(-1) === 0) break;
      }
      expect(steps).toEqual([4, 2, 0]);
      expect((await store.list(place, { limit: 10 }))._unsafeUnwrap()).toEqual([]);
      expect(await valueAt(other)).toBe('1');
    });
  });
};

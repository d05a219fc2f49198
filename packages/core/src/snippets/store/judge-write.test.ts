import { describe, expect, test } from 'vitest';
import { dueAtMs, isLive, judgeWrite, type KeptRow } from './judge-write.ts';
import type { RowWrite, SnippetWrite } from './stored-row.ts';

const NOW = 100_000;
const TOMBSTONE_MS = 10_000;
const content = { format: 'json' as const, bytes: Uint8Array.of(1) };
const at = (key: string) => ({ service: 's', kps: 1, key, language: '' });
const row = (ms: number, more: Partial<KeptRow> = {}): KeptRow => ({
  version: { ms, sequence: 5, source: '' },
  content,
  expiresAtMs: undefined,
  ...more,
});
const tombstone = (ms: number): KeptRow => row(ms, { content: undefined });
const put = (key = 'a', ttlMs?: number): RowWrite => ({ at: at(key), content, ttlMs });
const record = (ms: number, sequence = 1) => ({ ms, sequence, source: 'p' });
const judged = (write: Partial<SnippetWrite>, ...stored: readonly (KeptRow | undefined)[]) =>
  judgeWrite({ rows: [put()], ...write }, stored, { nowMs: NOW, tombstoneMs: TOMBSTONE_MS });

describe('a row', () => {
  test.each<[string, KeptRow | undefined, boolean, number | undefined]>([
    ['that never expires', row(1), true, undefined],
    ['that expires later', row(1, { expiresAtMs: NOW + 1 }), true, NOW + 1],
    ['that expires now', row(1, { expiresAtMs: NOW }), false, NOW],
    ['without content', tombstone(7), false, 7 + TOMBSTONE_MS],
    ['that is not there', undefined, false, undefined],
  ])('[F9] %s is live: %s', (_, kept, live, due) => {
    expect(isLive(kept, NOW)).toBe(live);
    if (kept) expect(dueAtMs(kept, TOMBSTONE_MS)).toBe(due);
  });
});

describe('a write', () => {
  test.each<[string, RowWrite, number | undefined, boolean]>([
    ['without a ttl', put(), undefined, true],
    ['with a ttl', put('a', 1), NOW + 1, true],
    ['with a ttl that is over', put('a', 0), undefined, false],
    ['that deletes', { ...put('a', 5), content: undefined }, undefined, false],
  ])('[F9] %s keeps the content and its end', (_, write, expiresAtMs, hasContent) => {
    const [kept] = judged({ rows: [write] }, undefined).rows;
    expect(kept).toMatchObject({ expiresAtMs, version: { ms: NOW, sequence: 0, source: '' } });
    expect(kept?.content).toEqual(hasContent ? content : undefined);
  });
  test('[F8] the ttl of a record counts from its version, not from now', () => {
    const rows = (ms: number) => judged({ rows: [put('a', 500)], record: record(ms) }, row(1)).rows;
    expect(rows(NOW - 499)[0]).toMatchObject({ content, expiresAtMs: NOW + 1 });
    expect(rows(NOW - 500)[0]).toMatchObject({ content: undefined, expiresAtMs: undefined });
  });
  test('[F9] it says which rows were live', () => {
    const { outcome } = judged({ rows: [put('a'), put('b'), put('c')] }, row(1), tombstone(1), undefined);
    expect(outcome).toEqual({
      kind: 'written',
      version: { ms: NOW, sequence: 0 },
      atMs: NOW,
      rows: [true, false, false].map((wasLive) => ({ kind: 'written', wasLive })),
    });
  });
  test.each<
    [string, NonNullable<SnippetWrite['condition']>, KeptRow | undefined, boolean, object | undefined]
  >([
    ['exists, live', { kind: 'exists' }, row(1), true, undefined],
    ['exists, deleted', { kind: 'exists' }, tombstone(1), false, undefined],
    ['exists, expired', { kind: 'exists' }, row(1, { expiresAtMs: NOW }), false, undefined],
    ['absent, live', { kind: 'absent' }, row(1), false, { ms: 1, sequence: 5 }],
    ['absent, deleted', { kind: 'absent' }, tombstone(1), true, undefined],
    ['absent, never there', { kind: 'absent' }, undefined, true, undefined],
    ['its version', { kind: 'version', version: { ms: 1, sequence: 5 } }, row(1), true, undefined],
    [
      'another millisecond',
      { kind: 'version', version: { ms: 2, sequence: 5 } },
      row(1),
      false,
      { ms: 1, sequence: 5 },
    ],
    [
      'another sequence',
      { kind: 'version', version: { ms: 1, sequence: 4 } },
      row(1),
      false,
      { ms: 1, sequence: 5 },
    ],
    [
      'the version of a tombstone',
      { kind: 'version', version: { ms: 1, sequence: 5 } },
      tombstone(1),
      false,
      undefined,
    ],
  ])('[F1] the condition «%s»', (_, condition, stored, holds, version) => {
    const { outcome, rows } = judged({ condition }, stored);
    expect(outcome.kind).toBe(holds ? 'written' : 'conditionFailed');
    if (!holds) expect([outcome, rows]).toEqual([{ kind: 'conditionFailed', version }, [undefined]]);
  });
});

describe('a record', () => {
  test.each<[string, number, readonly (KeptRow | undefined)[], string]>([
    ['as old as a tombstone may be', NOW - TOMBSTONE_MS, [undefined], 'written'],
    ['older than a tombstone may be', NOW - TOMBSTONE_MS - 1, [undefined], 'tooOld'],
    ['older, with one of two rows absent', NOW - TOMBSTONE_MS - 1, [row(1), undefined], 'tooOld'],
    ['older, with every row there', NOW - TOMBSTONE_MS - 1, [row(1), row(2)], 'written'],
    ['behind every stored row', NOW - 5, [row(NOW), row(NOW - 5)], 'superseded'],
    ['behind one of two rows', NOW - 5, [row(NOW), row(NOW - 6)], 'written'],
  ])('[F8] %s', (_, ms, stored, kind) => {
    const rows = stored.map((__, n) => put(`k${n}`));
    expect(judged({ rows, record: record(ms) }, ...stored).outcome.kind).toBe(kind);
  });
  test('[F8] rows that are newer stay, the others are written', () => {
    const { outcome, rows } = judged(
      { rows: [put('a'), put('b')], record: record(NOW - 5) },
      row(NOW),
      row(1),
    );
    expect(outcome).toMatchObject({
      rows: [
        { kind: 'kept', wasLive: true },
        { kind: 'written', wasLive: true },
      ],
    });
    expect(rows[0]).toBeUndefined();
    expect(rows[1]).toMatchObject({ version: { ms: NOW - 5, sequence: 1, source: 'p' } });
  });
});
test('[F9] a write without rows is written: nothing is newer than it', () => {
  const { outcome, rows } = judged({ rows: [], record: record(NOW - 5) });
  expect([outcome.kind, rows]).toEqual(['written', []]);
});

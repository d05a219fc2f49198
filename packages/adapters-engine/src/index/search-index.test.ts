import type { IndexName, QueryPlan } from '@doska/core/vasgen';
import { expiry, plainAnalyzer, remove, sampleSchema, upsert } from '@doska/core/vasgen/testing';
import { expect, test } from 'vitest';
import { execute } from '../query/execute.ts';
import { SearchIndex } from './search-index.ts';

const spec = { name: 'test' as IndexName, epoch: 1, schema: sampleSchema };
const made = (segmentDocuments: number, horizonMs = 1000) =>
  new SearchIndex({ spec, analyzer: plainAnalyzer, segmentDocuments, horizonMs });
const settle = (index: SearchIndex, nowMs: number): void => {
  while (index.upkeep(nowMs));
};
const limits = { timeMs: 1000, bytes: 1 << 28, completions: 10_000, nowMs: () => 0 };
const totalOf = (index: SearchIndex, plan: Partial<QueryPlan> = {}): number =>
  execute(index, { page: { limit: 10 }, ...plan }, limits).total;

test('[V5] tombstones are kept for the horizon, counted from when they were written, and then forgotten', () => {
  const index = made(4);
  for (let n = 0; n < 20; n++)
    index.apply(upsert(`d${n}`, { title: 'диван' }, { version: 1, timestampMs: 100 }), 5_000);
  // An expiry has its document's own place, which may be a month old.
  for (let n = 0; n < 15; n++) index.apply(expiry(`d${n}`, { version: 1, timestampMs: 100 }), 5_000);
  settle(index, 5_500);
  settle(index, 6_000);
  expect(index.buriedCount).toBe(15);
  expect(index.apply(upsert('d3', {}, { version: 1, timestampMs: 50 }), 6_000)).toEqual({ kind: 'stale' });
  // They were written longer ago than the horizon: no replay reaches back so far.
  settle(index, 100_000);
  settle(index, 200_000);
  expect(index.buriedCount).toBeLessThan(4); // those of the segment that still takes documents
  expect(index.aliveCount).toBe(5);
  expect(index.apply(upsert('d3', {}, { version: 1, timestampMs: 50 }), 0)).toEqual({ kind: 'applied' });
});

test('[V5] a tombstone of the very age of the horizon is kept, one of a millisecond more is not', () => {
  for (const [nowMs, kept] of [
    [61_000, 4],
    [61_001, 0],
  ] as const) {
    const index = made(4);
    for (let n = 0; n < 4; n++) index.apply(remove(`d${n}`, { timestampMs: 9e12 }), 60_000);
    settle(index, nowMs);
    expect(index.buriedCount).toBe(kept);
  }
});

test('[V8] deleted space is reclaimed in slices while queries and changes go on', () => {
  const index = made(64);
  const write = (version: number): void => {
    for (let n = 0; n < 640; n++) {
      index.apply(upsert(`d${n}`, { title: `диван ${n}`, body: 'стол стол phone' }, { version }), 0);
      index.upkeep(0);
      if (n % 50 === 0)
        expect(totalOf(index, { text: { words: 'диван' } })).toBe(version === 1 ? n + 1 : 640);
    }
  };
  write(1);
  settle(index, 0);
  const { bytes } = index;
  for (let version = 2; version < 8; version++) write(version);
  settle(index, 0);
  expect(index.aliveCount).toBe(640);
  // Six times rewritten: without compaction there would be seventy segments and seven times the bytes.
  expect(index.segments.length).toBeLessThan(25);
  expect(index.bytes).toBeLessThan(2.5 * bytes);
});

test('[V8] no array outgrows its segment, and the bytes of a document are told', () => {
  const index = made(1000);
  for (let n = 0; n < 5000; n++) {
    index.apply(upsert(`d${n}`, { title: `диван ${n % 97}`, category: 'auto', price: n }), 0);
    index.upkeep(0);
  }
  settle(index, 0);
  expect(index.segments.every(({ count }) => count <= 1000)).toBe(true);
  expect(index.segments.filter(({ isSealed }) => isSealed)).toHaveLength(5);
  expect(index.bytes / 5000).toBeGreaterThan(50);
  expect(totalOf(index, { filter: { kind: 'range', field: 'price', min: 4000 } })).toBe(1000);
});

test('[V8] a query stops at its time and says so; one with too many completions says so too', () => {
  const index = made(8);
  for (let n = 0; n < 64; n++) index.apply(upsert(`d${n}`, { title: `слово${n}` }), 0);
  let now = 0;
  const ticking = { ...limits, timeMs: 3, nowMs: () => now++ };
  const late = execute(index, { page: { limit: 100 } }, ticking);
  expect(late.cut).toBe('time');
  expect(late.total).toBeGreaterThan(0);
  expect(late.total).toBeLessThan(64);
  const text = { words: 'сло', prefixLast: true };
  expect(execute(index, { text, page: { limit: 5 } }, { ...limits, completions: 10 })).toMatchObject({
    cut: 'memory',
    total: 10,
  });
  expect(execute(index, { text, page: { limit: 5 } }, limits)).toMatchObject({ total: 64 });
});

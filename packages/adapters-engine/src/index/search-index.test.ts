import type { IndexName, QueryPlan } from '@doska/core/vasgen';
import { plainAnalyzer, remove, sampleSchema, upsert } from '@doska/core/vasgen/testing';
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

test('[V5] tombstones are kept for the horizon, through compaction, and forgotten after it', () => {
  const index = made(4);
  for (let n = 0; n < 20; n++)
    index.apply(upsert(`d${n}`, { title: 'диван' }, { version: 1, timestampMs: 100 }));
  for (let n = 0; n < 15; n++) index.apply(remove(`d${n}`, { version: 3, timestampMs: 500 }));
  settle(index, 1400);
  expect(index.buriedCount).toBe(15);
  expect(index.apply(upsert('d3', {}, { version: 2, timestampMs: 600 }))).toEqual({ kind: 'stale' });
  // The place of the tombstones is now older than the horizon: nobody replays what they would be needed against.
  settle(index, 100_000);
  settle(index, 200_000);
  expect(index.buriedCount).toBeLessThan(4); // those of the segment that still takes documents
  expect(index.aliveCount).toBe(5);
  expect(index.apply(upsert('d3', {}, { version: 2, timestampMs: 600 }))).toEqual({ kind: 'applied' });
});

test('[V8] deleted space is reclaimed in slices while queries and changes go on', () => {
  const index = made(64);
  const write = (version: number): void => {
    for (let n = 0; n < 640; n++) {
      index.apply(upsert(`d${n}`, { title: `диван ${n}`, body: 'стол стол phone' }, { version }));
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
    index.apply(upsert(`d${n}`, { title: `диван ${n % 97}`, category: 'auto', price: n }));
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
  for (let n = 0; n < 64; n++) index.apply(upsert(`d${n}`, { title: `слово${n}` }));
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

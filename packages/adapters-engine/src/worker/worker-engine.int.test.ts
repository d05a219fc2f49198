import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { searchEngineContract, plainAnalyzer, upsert } from '@doska/core/vasgen/testing';
import type { IndexChange, IndexName } from '@doska/core/vasgen';
import { expect, test } from 'vitest';
import { differences, inFolder, sampleSpec, truthOf } from '../testing/engine-probe.ts';
import { openWorkerEngine } from './worker-engine.ts';

const analyzer = { module: '@doska/core/vasgen/testing', export: 'plainAnalyzer' };
const { name } = sampleSpec;
const opened = async (dir?: string) =>
  (
    await openWorkerEngine({
      analyzer,
      segmentDocuments: 64,
      horizonMs: Infinity,
      ...(dir === undefined ? {} : { dir }),
    })
  )._unsafeUnwrap();

searchEngineContract('embedded, in a thread of its own', {
  open: async () => {
    const engine = await opened();
    return { engine, close: () => engine.close() };
  },
  analyzer: plainAnalyzer,
  promises: { exactScores: true, vectors: true, corpora: 100 },
});

const corpus = (count: number): IndexChange[] =>
  Array.from({ length: count }, (_, n) =>
    upsert(`d${n}`, {
      title: `диван ${n % 50}`,
      body: 'стол phone x1',
      category: 'auto',
      look: [n % 7, 1, 2],
    }),
  );

test('[V8] a heavy query keeps the thread that accepts documents free', async () => {
  const engine = await opened();
  await engine.create(sampleSpec);
  for (let from = 0; from < 20_000; from += 5_000)
    await engine.apply(name, corpus(20_000).slice(from, from + 5_000));
  const sort = [{ by: 'similarity', field: 'look', to: [1, 2, 3] }] as const;
  let isDone = false;
  const heavy = Promise.all(
    Array.from({ length: 20 }, () => engine.execute({ index: name }, { sort, page: { limit: 1000 } })),
  ).then(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
  await heavy;
  // The loop of this thread went round while the queries ran: on one thread it would have had a turn or two a query.
  expect(turns).toBeGreaterThan(100);
  await engine.close();
});

test('[V8] a query out of time or memory says that it was cut', async () => {
  const engine = await opened();
  await engine.create(sampleSpec);
  await engine.apply(name, corpus(1000));
  const page = { limit: 5 };
  const late = (await engine.execute({ index: name }, { page, bounds: { timeMs: 0 } }))._unsafeUnwrap();
  expect(late).toMatchObject({ cut: 'time', total: 0 });
  const facets = [{ kind: 'terms', name: 'c', field: 'category' }] as const;
  const poor = (
    await engine.execute({ index: name }, { page, facets, bounds: { bytes: 801 } })
  )._unsafeUnwrap();
  expect(poor).toMatchObject({
    cut: 'memory',
    total: 1000,
    facets: [{ name: 'c', exact: false, counts: [] }],
  });
  expect((await engine.execute({ index: name }, { page, facets }))._unsafeUnwrap().cut).toBeUndefined();
  await engine.close();
});

test('[V11] which index serves outlives a restart, and a dropped one frees its files', async () => {
  await inFolder(async (dir) => {
    const engine = await opened(dir);
    const other = 'other' as IndexName;
    await engine.create(sampleSpec);
    await engine.create({ ...sampleSpec, name: other });
    await engine.apply(name, corpus(10));
    await engine.snapshot(name);
    const serving = 'offers' as never;
    await engine.serve(serving, name);
    (await engine.drop(other))._unsafeUnwrap();
    expect(readdirSync(dir)).not.toContain(other);
    expect(readdirSync(join(dir, name)).length).toBeGreaterThan(0);
    await engine.close();
    expect((await engine.execute({ serving }, { page: { limit: 1 } })).isErr()).toBe(true);
    const again = await opened(dir);
    expect((await again.execute({ serving }, { page: { limit: 1 } }))._unsafeUnwrap().total).toBe(10);
    expect(await differences(again, truthOf(corpus(10)))).toEqual([]);
    await again.close();
  });
});

test('[V8] an analyzer that is not there, and a thread that dies, are values', async () => {
  const wrong = { module: 'node:path', export: 'nothing' };
  expect((await openWorkerEngine({ analyzer: { module: './no-such-module.js', export: 'x' } })).isErr()).toBe(
    true,
  );
  const engine = (await openWorkerEngine({ analyzer: wrong }))._unsafeUnwrap();
  await engine.create(sampleSpec);
  // The first document needs the analyzer that is undefined: a bug, so the thread ends and says so.
  const answer = await engine.apply(name, corpus(1));
  expect(answer._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
  await engine.close();
  await engine.close();
});

import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEngine, openWorkerEngine, type EmbeddedEngine } from '@doska/adapters-engine';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import type { Clock } from '@doska/core/kernel';
import type { IndexName, QueryAnswer } from '@doska/core/vasgen';
import { benchSchema, planOf, upsertOf } from './corpus.ts';
import type { Peer, PeerAnswer } from './peer.ts';

export const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
export const name = 'bench' as IndexName;
export const benchSpec = { name, epoch: 1, schema: benchSchema };
export const analyzerModule = {
  module: import.meta.resolve('@doska/adapters-text'),
  export: 'russianEnglishAnalyzer',
};
export const freshDir = (): string => mkdtempSync(join(tmpdir(), 'doska-bench-engine-'));
export const removeDir = (dir: string): void => rmSync(dir, { recursive: true, force: true });

/** In this thread, as the peers that are libraries. */
export const openInThread = async (dir?: string): Promise<EmbeddedEngine> => {
  const settings = dir === undefined ? {} : { dir };
  return (
    await openEmbeddedEngine({ analyzer: russianEnglishAnalyzer(), clock, ...settings })
  )._unsafeUnwrap();
};
/** In a thread of its own, as apps run it. */
export const openInWorker = async (dir: string): Promise<EmbeddedEngine> =>
  (await openWorkerEngine({ analyzer: analyzerModule, dir }))._unsafeUnwrap();

export const seen = ({ total, facets, hits }: QueryAnswer): PeerAnswer => ({
  total,
  facets: facets[0]?.counts.length ?? 0,
  hits: hits.length,
});

const BATCH = 1000;
export const loadNumbers = async (engine: EmbeddedEngine, documents: number): Promise<void> => {
  (await engine.create(benchSpec))._unsafeUnwrap();
  for (let from = 0; from < documents; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, documents - from) }, (_, at) =>
      upsertOf(from + at, 1),
    );
    (await engine.apply(name, batch))._unsafeUnwrap();
  }
};

export const ownPeer = (engine: EmbeddedEngine, documents: number): Peer => ({
  name: 'engine',
  load: () => loadNumbers(engine, documents),
  query: async (query) => seen((await engine.execute({ index: name }, planOf(query)))._unsafeUnwrap()),
  close: () => engine.close(),
});

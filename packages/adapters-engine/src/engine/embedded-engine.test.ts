import { realClock } from '@doska/core/kernel/testing';
import { plainAnalyzer, searchEngineContract } from '@doska/core/vasgen/testing';
import { openEmbeddedEngine } from './embedded-engine.ts';

searchEngineContract('embedded, in memory', {
  open: async () => {
    const options = { analyzer: plainAnalyzer, clock: realClock, segmentDocuments: 16, horizonMs: Infinity };
    const engine = (await openEmbeddedEngine(options))._unsafeUnwrap();
    return { engine, close: () => engine.close() };
  },
  analyzer: plainAnalyzer,
  promises: { exactScores: true, vectors: true },
});

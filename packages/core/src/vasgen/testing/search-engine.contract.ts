import { afterAll, beforeAll, describe, test } from 'vitest';
import { applyCases } from './search-engine-apply.cases.ts';
import { growthCases } from './search-engine-growth.cases.ts';
import { capCases } from './search-engine-cap.cases.ts';
import { explainCases } from './search-engine-explain.cases.ts';
import type { SearchEngineCase, SearchEngineHarness } from './search-engine-harness.ts';
import { indexCases } from './search-engine-indexes.cases.ts';
import { placeCases } from './search-engine-places.cases.ts';
import { queryCases } from './search-engine-query.cases.ts';
import { rebuildCases } from './search-engine-rebuild.cases.ts';
import { wordCases } from './search-engine-words.cases.ts';

export const searchEngineCases: readonly SearchEngineCase[] = [
  ...applyCases,
  ...indexCases,
  ...growthCases,
  ...rebuildCases,
  ...placeCases,
  ...queryCases,
  ...wordCases,
  ...explainCases,
  ...capCases,
];

/** Every sentence of the port, on one engine that all cases share: each makes indexes of its own. */
export const searchEngineContract = (
  backend: string,
  { open, analyzer, promises }: SearchEngineHarness,
): void => {
  describe(`SearchEngine contract: ${backend}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    for (const { title, run } of searchEngineCases)
      test(title, () => run({ engine: opened.engine, analyzer, promises }), 60_000);
  });
};

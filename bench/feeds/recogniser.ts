import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadCatalogFiles } from '@doska/adapters-files';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { catalogOf } from '@doska/core/catalog';
import { defaultFeedsSettings } from '@doska/core/feeds';
import { guessCategory, recognitionIndex } from '@doska/core/feeds/testing';
import type { Measured } from '../harness.ts';

const here = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Categories of labelled titles, by the demo catalogue. Titles a second, and how many were right. */
export const recogniserOn = async (): Promise<() => Promise<Measured>> => {
  const catalog = catalogOf(
    1,
    (await loadCatalogFiles(here('packages/apps/catalog-api/demo')))._unsafeUnwrap(),
  );
  const index = recognitionIndex(catalog, russianEnglishAnalyzer());
  const titles = readFileSync(here('samples/feeds/titles.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [category: string, title: string]);
  const { surenessMin } = defaultFeedsSettings;
  return () => {
    const startedMs = performance.now();
    let sure = 0;
    let right = 0;
    for (const [category, title] of titles) {
      const found = guessCategory(index, { category: '', title }, { surenessMin });
      if (found.kind !== 'sure') continue;
      sure += 1;
      if (found.category === category) right += 1;
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const plain = { recogniser_precision: right / sure, recogniser_recall: right / titles.length };
    return Promise.resolve({ value: titles.length / seconds, plain });
  };
};

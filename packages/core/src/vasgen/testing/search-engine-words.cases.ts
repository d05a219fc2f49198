import fc from 'fast-check';
import { expect } from 'vitest';
import { WORDS_MAX } from '../engine/check-places.ts';
import type { IndexName } from '../engine/index-name.ts';
import type { IndexWord, SearchEngine } from '../engine/search-engine.port.ts';
import { applyTo, documentsOf, emptyIndex } from './reference-index.ts';
import { referenceWords } from './reference-words.ts';
import type { SearchEngineCase } from './search-engine-harness.ts';
import { errorOf, feed, freshIndex, freshName, freshServing, remove, upsert } from './search-engine-probe.ts';
import { historyArbitrary, sampleSchema } from './vasgen.arbitraries.ts';

const ALL = { limit: WORDS_MAX };
const wordsIn = async (
  engine: SearchEngine,
  index: IndexName,
  plan: Parameters<SearchEngine['words']>[1] = ALL,
): Promise<readonly IndexWord[]> => (await engine.words({ index }, plan))._unsafeUnwrap();
const order = (words: readonly IndexWord[]): readonly string[] => words.map(({ word }) => word);

export const wordCases: readonly SearchEngineCase[] = [
  {
    title: '[S6] words are listed as they are written, with the living documents that hold them in any form',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      await feed(engine, index, [
        upsert('a', { title: 'Диван и Ёлка', body: 'диваны, диваны' }),
        upsert('b', { title: 'диван x1' }),
        upsert('c', { body: 'стол' }),
      ]);
      expect(await wordsIn(engine, index)).toEqual([
        { word: 'x1', documents: 1 },
        { word: 'диван', documents: 2 },
        { word: 'диваны', documents: 2 },
        { word: 'елка', documents: 1 },
        { word: 'стол', documents: 1 },
      ]);
      await feed(engine, index, [
        remove('c', { version: 2 }),
        upsert('a', { title: 'стул' }, { version: 2 }),
      ]);
      const left = await wordsIn(engine, index);
      expect(left.filter(({ word }) => word !== 'диваны')).toEqual([
        { word: 'x1', documents: 1 },
        { word: 'диван', documents: 1 },
        { word: 'стул', documents: 1 },
      ]);
    },
  },
  {
    title:
      '[S6] every word of a living document is listed once, page by page and by prefix, and no dead word is',
    run: async ({ engine, analyzer, promises }) => {
      await fc.assert(
        fc.asyncProperty(historyArbitrary(), fc.integer({ min: 1, max: 4 }), async (history, limit) => {
          const spec = { name: await freshIndex(engine), epoch: 1, schema: sampleSchema };
          const truth = emptyIndex(spec);
          for (const change of history) applyTo(truth, analyzer, change);
          await feed(engine, spec.name, history);
          const documents = documentsOf(truth);
          const expected = referenceWords(sampleSchema, documents, analyzer, ALL);
          const walked: IndexWord[] = [];
          for (let page: readonly IndexWord[] | undefined; !page || page.length === limit;) {
            const after = walked.at(-1)?.word;
            page = await wordsIn(engine, spec.name, { limit, ...(after !== undefined && { after }) });
            walked.push(...page);
            expect(walked.length).toBeLessThan(100);
          }
          expect(order(walked)).toEqual([...new Set(order(walked))].sort());
          expect(walked).toEqual(expect.arrayContaining([...expected]));
          const living = new Map(
            expected.map(({ word, documents: count }) => [analyzer.terms(word)[0], count]),
          );
          for (const { word, documents: count } of walked)
            expect([word, count]).toEqual([word, living.get(analyzer.terms(word)[0])]);
          const some = await wordsIn(engine, spec.name, { ...ALL, prefix: 'ст' });
          expect(some).toEqual(walked.filter(({ word }) => word.startsWith('ст')));
          await engine.drop(spec.name);
        }),
        { numRuns: Math.min(50, promises.corpora ?? 50) },
      );
    },
  },
  {
    title: '[S6] words are asked of the serving index too; a page outside its limits is refused',
    run: async ({ engine }) => {
      const index = await freshIndex(engine);
      const serving = freshServing();
      await feed(engine, index, [upsert('a', { title: 'лампа' })]);
      await engine.serve(serving, index);
      expect((await engine.words({ serving }, ALL))._unsafeUnwrap()).toEqual([
        { word: 'лампа', documents: 1 },
      ]);
      expect(errorOf(await engine.words({ index }, { limit: 0 }))).toBe('InvalidInput');
      expect(errorOf(await engine.words({ index }, { limit: WORDS_MAX + 1 }))).toBe('InvalidInput');
      expect(errorOf(await engine.words({ index: freshName('ghost') }, ALL))).toBe('UnknownIndex');
    },
  },
];

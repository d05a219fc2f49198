import { fileURLToPath } from 'node:url';
import { loadCatalogFiles } from '@doska/adapters-files';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { catalogOf, type Names } from '@doska/core/catalog';
import { correctText, WordIndex, type Correction, type KnownWord } from '@doska/core/search';
import { expect, test } from 'vitest';
import { LAYOUTS, TRANSLITERATIONS, TYPOS } from './testing/misspellings.ts';

const analyzer = russianEnglishAnalyzer();
const content = (
  await loadCatalogFiles(fileURLToPath(new URL('../../../catalog-api/demo/', import.meta.url)))
)._unsafeUnwrap();
const catalog = catalogOf(1, content);
const spelled = ({ ru, en, synonyms }: Names): readonly string[] => [ru, en, ...synonyms.ru, ...synonyms.en];
const values = content.attributes.flatMap(({ type }) => (type.kind === 'dictionary' ? type.values : []));
const named = [...content.categories, ...content.attributes, ...values];
const names = [...new Set(named.flatMap((one) => spelled(one.names)))];
const ids = [...new Set(named.map(({ id }) => id as string))];

const pairs = (text: string): readonly (readonly [string, string])[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('>') as [string, string]);
const table = { typo: pairs(TYPOS), layout: pairs(LAYOUTS), transliteration: pairs(TRANSLITERATIONS) };

/** The words that the table means among those of the catalogue, but not the misspelled ones. */
const meant = Object.values(table).flatMap((rows) => rows.map(([, right]) => right));
const typed = new Set(Object.values(table).flatMap((rows) => rows.map(([wrong]) => wrong)));
const words: KnownWord[] = [...new Set([...names.flatMap((name) => analyzer.words(name)), ...meant])]
  .filter((word) => /^(?:[а-я]{2,}|[a-z]{2,})$/.test(word) && !typed.has(word))
  .map((word) => ({ word, documents: meant.includes(word) ? 20 : 5 }));
const dictionary = {
  words: WordIndex.of(words),
  terms: new Set(words.map(({ word }) => analyzer.terms(word)[0]!)),
};
const correct = (text: string): Correction | undefined =>
  correctText(text, { analyzer, dictionary, catalog: undefined });
const sameWord = (a: string, b: string): boolean => analyzer.terms(a).join() === analyzer.terms(b).join();

/** The least share of each kind that is corrected to the word that was meant. */
const LEAST = { typo: 0.9, layout: 0.97, transliteration: 0.9 };

test('[S6] most of 300 misspelled words are corrected to what was meant', () => {
  let count = 0;
  for (const [kind, rows] of Object.entries(table) as [keyof typeof table, typeof table.typo][]) {
    const wrong = rows.flatMap(([typed, right]) => {
      const found = correct(typed);
      // Some mistakes are in an ending: the stem is right already.
      return sameWord(found?.text ?? typed, right) ? [] : [`${typed} → ${found?.text ?? '—'}, not ${right}`];
    });
    count += rows.length;
    const share = 1 - wrong.length / rows.length;
    console.log(
      `${kind}: ${rows.length - wrong.length} of ${rows.length} (${(100 * share).toFixed(1)} %); wrong: ${wrong.join('; ') || 'none'}`,
    );
    expect({ kind, share: share >= LEAST[kind] }).toEqual({ kind, share: true });
  }
  expect(count).toBeGreaterThanOrEqual(300);
});

test('[S6] no name, id or model number of the catalogue is ever changed', () => {
  const models = Array.from({ length: 500 }, (_, n) => `${'abcdefgh'[n % 8]}x-${n}${'klm'[n % 3]}`);
  const texts = [...names, ...ids, ...models];
  expect(texts.length).toBeGreaterThanOrEqual(2_000);
  // An index without these words: only the catalogue knows them.
  const few = meant.map((word) => ({ word, documents: 20 }));
  const other = {
    words: WordIndex.of(few),
    terms: new Set(few.map(({ word }) => analyzer.terms(word)[0]!)),
  };
  const changed = texts.filter(
    (text) => correctText(text, { analyzer, dictionary: other, catalog }) !== undefined,
  );
  expect(changed).toEqual([]);
});

test('[S6] a corrected text keeps its other words, and each change has its reason', () => {
  expect(correct('красный деван 128gb')).toMatchObject({
    text: 'красный диван 128gb',
    words: [{ from: 'деван', to: 'диван', reason: 'typo' }],
  });
  expect(correct('lbdfy')?.words).toEqual([{ from: 'lbdfy', to: 'диван', reason: 'layout' }]);
  expect(correct('samsung')).toBeUndefined();
  expect(correct('')).toBeUndefined();
});

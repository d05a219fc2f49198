import fc from 'fast-check';
import { expect, test } from 'vitest';
import { russianEnglishAnalyzer } from './russian-english-analyzer.ts';

const analyzer = russianEnglishAnalyzer();

test.each([
  ['телефон телефоны телефонами Телефону', 'телефон'],
  ['ёлка елка ЁЛКИ ёлками', 'елк'],
  ['красивый красивого красивые', 'красив'],
  ['generously generous', 'generous'],
  ['phone phones', 'phone'],
])('[V8] %s have the same stem', (text, term) => {
  expect(new Set(analyzer.terms(text))).toEqual(new Set([term]));
});

test('[V8] stop words leave holes, numbers and models stay whole', () => {
  expect(analyzer.terms('Чехол для iPhone-13, 128гб и всё')).toEqual([
    'чехол',
    '',
    'iphon',
    '13',
    '128гб',
    '',
    '',
  ]);
  expect(analyzer.words('Чехол для iPhone')).toEqual(['чехол', 'для', 'iphone']);
  expect(analyzer.terms('')).toEqual([]);
});

test('[V8] each word has one term, with a full and with an empty cache', () => {
  const tiny = russianEnglishAnalyzer({ cachedWordsMax: 4 });
  const words = fc.stringMatching(/^[а-яёa-z0-9]{1,12}$/);
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), (list) => {
      const text = list.join(' ');
      expect(tiny.terms(text)).toEqual(analyzer.terms(text));
      expect(analyzer.terms(text)).toHaveLength(analyzer.words(text).length);
    }),
    { numRuns: 1000 },
  );
});

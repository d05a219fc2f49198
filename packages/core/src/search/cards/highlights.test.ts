import { expect, test } from 'vitest';
import { plainAnalyzer } from '../../vasgen/testing.ts';
import { makeHighlighter } from './highlights.ts';

const highlighter = makeHighlighter(plainAnalyzer);
const marked = (title: string, words: string): readonly string[] =>
  highlighter(words)({ title }).map(({ start, length }) => title.slice(start, start + length));

test.each([
  ['Диваны и стол', 'диван', ['Диваны']],
  ['ЁЛКА, елка', 'ёлка', ['ЁЛКА', 'елка']],
  ['Стол в углу', 'в the', []],
  ['Phone-13 phones', 'phone 13', ['Phone', '13', 'phones']],
  ['😀 стол 😀 стола', 'стол', ['стол', 'стола']],
  ['Стол', '', []],
])('[S12] in «%s» the words of «%s» are marked', (title, words, expected) => {
  expect(marked(title, words)).toEqual(expected);
});

test('[S12] a card that is shown again for other words has their marks', () => {
  const card = { title: 'Диван и стол' };
  const startsOf = (words: string) => highlighter(words)(card).map(({ start }) => start);
  expect([startsOf('диван'), startsOf('стол'), startsOf('шкаф'), startsOf('диван')]).toEqual([
    [0],
    [8],
    [],
    [0],
  ]);
});

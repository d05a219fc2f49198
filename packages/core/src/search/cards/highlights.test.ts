import { expect, test } from 'vitest';
import { plainAnalyzer } from '../../vasgen/testing.ts';
import { highlightsOf } from './highlights.ts';

const marked = (title: string, words: string): readonly string[] =>
  highlightsOf(title, words, plainAnalyzer).map(({ start, length }) => title.slice(start, start + length));

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

import { expect, test } from 'vitest';
import { foldText, wordsOf } from './fold-text.ts';

test.each([
  ['Всё ЁЛКИ', 'все елки'],
  ['чай и йод', 'чай и йод'],
  ['кафе́ naïve', 'кафе naive'],
  ['İstanbul', 'istanbul'],
  ['１２８ＧＢ', '128gb'],
  ['ﬁre', 'fire'],
  ['й decomposed', 'й decomposed'],
  ['Łódź Ørsted Straße', 'lodz orsted strasse'],
  ['Æsir œuvre đak ŧ', 'aesir oeuvre dak t'],
  ['cafe\u0301 x\u0303 n\u1dc4', 'cafe x n'],
  ['vel\u00ado\u200bsi\ufeffped', 'velosiped'],
  ['е\u200b\u0308ж', 'еж'],
])('[X15] %s folds to %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
  expect(foldText(folded)).toBe(folded);
});

test.each([
  ['128гб iphone-13', ['128гб', 'iphone', '13']],
  ['б/у, чехол-книжка', ['б', 'у', 'чехол', 'книжка']],
  ['5.5мм', ['5', '5мм']],
  ['  😀 ', []],
  ['', []],
  [foldText('вело\u00adсипед zero\u200bwidth'), ['велосипед', 'zerowidth']],
  ['x'.repeat(70), ['x'.repeat(64)]],
])('the words of %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

import { describe, expect, test } from 'vitest';
import { isBlank, isLongerThan, isWellFormed, textViolations } from './text-rules.ts';
import { wholeNumber, wholeNumberViolations, WHOLE_NUMBER_MAX } from './whole-number.ts';

const codes = (text: string, rules = {}): string[] =>
  textViolations('title', text, { charsMax: 10, ...rules }).map(({ code }) => code);

describe('texts', () => {
  test.each([
    ['an ordinary text', 'Хомяк', {}, []],
    ['an empty text without a minimum', '', {}, []],
    ['an empty text with a minimum', '', { charsMin: 1 }, ['Missing']],
    ['blanks', ' \u00a0\t', { charsMin: 1, lines: true }, ['Blank']],
    ['zero-width characters', '\u200b\u200d\ufeff\u2060\u00ad', { charsMin: 1 }, ['Blank']],
    ['invisible letters', '\u3164\u115f\u2800', { charsMin: 1 }, ['Blank']],
    ['a letter with a zero-width joiner', 'a\u200d', { charsMin: 1 }, []],
    ['NUL', 'a\0b', {}, ['ControlCharacter']],
    ['escape', 'a\u001bb', { lines: true }, ['ControlCharacter']],
    ['delete', 'a\u007fb', { lines: true }, ['ControlCharacter']],
    ['a C1 control character', 'a\u0085b', { lines: true }, ['ControlCharacter']],
    ['the last C1 control character', 'a\u009fb', { lines: true }, ['ControlCharacter']],
    ['the character after the C1 block', 'a\u00a0b', {}, []],
    ['a new line in one line', 'a\nb', {}, ['ControlCharacter']],
    ['new lines and tabs in many lines', 'a\r\n\tb', { lines: true }, []],
    ['a vertical tab in many lines', 'a\u000bb', { lines: true }, ['ControlCharacter']],
    ['half of a pair', 'a\ud83d', {}, ['InvalidText']],
    ['a pair', '\ud83d\udc39', {}, []],
    ['ten symbols of two units', '\ud83d\udc39'.repeat(10), {}, []],
    ['eleven symbols', '\ud83d\udc39'.repeat(11), {}, ['TooLong']],
    ['too short', ' a ', { charsMin: 2 }, ['TooShort']],
    ['just long enough', ' ab ', { charsMin: 2 }, []],
    ['as many bytes as allowed', 'ыыы', { bytesMax: 6 }, []],
    ['one byte too many', 'ыыыa', { bytesMax: 6 }, ['TooLong']],
  ])('[X6] the rules for texts judge %s', (_, text, rules, expected) => {
    expect(codes(text, rules)).toEqual(expected);
  });

  test('[X6] a violation names its field', () => {
    expect(textViolations('contacts.name', 'a\0', { charsMax: 10 })).toEqual([
      { path: 'contacts.name', code: 'ControlCharacter', message: 'no control characters' },
    ]);
  });

  test('[X6] length is counted in symbols, not in code units', () => {
    expect(isLongerThan('\ud83d\udc39\ud83d\udc39', 2)).toBe(false);
    expect(isLongerThan('abc', 2)).toBe(true);
    expect(isBlank('')).toBe(true);
    expect(isWellFormed('\udc39')).toBe(false);
  });
});

describe('64-bit numbers', () => {
  test.each([
    [0n, true],
    [-1n, false],
    [2n ** 53n - 1n, true],
    [2n ** 53n, false],
    [2n ** 64n - 1n, false],
    [1.5, false],
    [Number.NaN, false],
  ])('[X4] %s is taken exactly or refused', (value, taken) => {
    expect(wholeNumber('version', value).isOk()).toBe(taken);
  });

  test('[X4] a refused number names its field and the largest allowed value', () => {
    expect(wholeNumberViolations('version', 2n ** 53n, { min: 1 })).toEqual([
      { path: 'version', code: 'OutOfRange', message: `a whole number from 1 to ${WHOLE_NUMBER_MAX}` },
    ]);
    expect(wholeNumber('version', 7n)._unsafeUnwrap()).toBe(7);
  });
});

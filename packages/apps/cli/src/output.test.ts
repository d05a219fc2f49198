import fc from 'fast-check';
import { expect, test } from 'vitest';
import { table } from './output.ts';
import { painted, terminalOf } from './terminal.ts';
import { cutTo, padded, textWidth } from './text-width.ts';

const plain = { columns: undefined, colors: false };

test.each([
  ['', 0],
  ['hamster', 7],
  ['Хомяк', 5],
  ['日本語', 6],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['e\u0301', 1],
  ['a\u200bb', 2],
  ['😀', 2],
  ['👩‍👩‍👧', 2],
  ['❤️', 2],
  ['🇯🇵', 2],
])('[H8] %j takes %i columns of a terminal', (text, width) => {
  expect(textWidth(text)).toBe(width);
});
test.each([
  ['hamster', 7, 'hamster'],
  ['hamster', 6, 'hamst…'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['a', 0, ''],
])('[H8] %j cut to %i columns is %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
});
test('[H8] columns stand below each other also with wide characters', () => {
  const rows = [
    { name: '日本', n: 1 },
    { name: 'hamster', n: 2 },
  ];
  expect(table(['name', 'n'], rows, plain)).toBe(
    ['name     n', '-------  -', '日本     1', 'hamster  2'].join('\n'),
  );
});
test('[H8] a table fits the terminal, and is whole where there is none', () => {
  const long = 'a sentence that is longer than the terminal is wide';
  const rows = [{ id: '1', words: long }];
  const narrow = table(['id', 'words'], rows, { columns: 30, colors: false }).split('\n');
  for (const line of narrow) expect(textWidth(line)).toBeLessThanOrEqual(30);
  expect(narrow[2]).toMatch(/^1 {3}a sentence .*…$/);
  expect(table(['id', 'words'], rows, plain)).toContain(long);
});
test('[H8] any table fits any terminal that is wide enough for its narrowest columns', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: text, b: text, c: text })),
      fc.integer({ min: 22 }),
      (rows, columns) => {
        for (const line of table(['a', 'b', 'c'], rows, { columns, colors: false }).split('\n'))
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 1_000 },
  );
});
test('[H8] padding never makes a text narrower than asked', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(50), (text, width) => {
      expect(textWidth(padded(text, width))).toBe(Math.max(width, textWidth(text)));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  [true, {}, true],
  [true, { NO_COLOR: '' }, true],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
  [false, {}, false],
])('[H8] with a terminal: %s and %j, colours are shown: %s', (isTTY, env, shown) => {
  const terminal = terminalOf({ isTTY, columns: 80 }, env);
  expect(terminal).toEqual({ columns: isTTY ? 80 : undefined, colors: shown });
  expect(painted(terminal, 'red', 'x')).toBe(shown ? '\u001b[31mx\u001b[0m' : 'x');
});

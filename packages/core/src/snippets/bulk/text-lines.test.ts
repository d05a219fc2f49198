import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textLines, type TextLine } from './text-lines.ts';

const encoder = new TextEncoder();
async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield encoder.encode(text);
}
const shown = ({ number, bytes }: TextLine): string =>
  `${number}:${bytes === 'tooLong' ? 'too long' : new TextDecoder().decode(bytes)}`;
const lines = async (max: number, ...texts: readonly string[]): Promise<readonly string[]> => {
  const all: string[] = [];
  for await (const line of textLines(pieces(...texts), max)) all.push(shown(line));
  return all;
};

test.each([
  [[''], []],
  [['a'], ['1:a']],
  [['a\n'], ['1:a']],
  [['a\nb'], ['1:a', '2:b']],
  [['a\n\n \r\nb\n'], ['1:a', '4:b']],
  [
    ['a', 'b\nc', 'd\n'],
    ['1:ab', '2:cd'],
  ],
  [['abcde\nf'], ['1:abcde', '2:f']],
  [['abcdef\ng'], ['1:too long', '2:g']],
  [
    ['abc', 'def', '\ng'],
    ['1:too long', '2:g'],
  ],
  [['g\nabcdef'], ['1:g', '2:too long']],
])('[F10] %j has the lines %j', async (texts, expected) => {
  expect(await lines(5, ...texts)).toEqual(expected);
});

test('[F10] lines do not depend on how their bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[ab\n]{0,6}$/), { maxLength: 8 }), async (texts) => {
      expect(await lines(100, ...texts)).toEqual(await lines(100, texts.join('')));
    }),
    { numRuns: 500 },
  );
});

import type { NumberArray, Section } from './sectioned-file.ts';
import { section } from './sectioned-file.ts';

const STRINGS_A_CHUNK = 2048;

/** Strings as UTF-8 in a row and where each ends; `undefined` is marked. */
export function* stringSections(name: string, strings: readonly (string | undefined)[]): Iterable<Section> {
  const ends = new Uint32Array(strings.length);
  const missing = new Uint8Array(strings.length);
  let end = 0;
  function* text(): Iterable<Uint8Array> {
    for (let from = 0; from < strings.length; from += STRINGS_A_CHUNK) {
      const part = strings.slice(from, from + STRINGS_A_CHUNK);
      for (const [at, one] of part.entries()) {
        if (one === undefined) missing[from + at] = 1;
        else end += Buffer.byteLength(one);
        ends[from + at] = end;
      }
      yield Buffer.from(part.join(''));
    }
  }
  // In this order: the ends are known once the text is written.
  yield { name: `${name}.text`, kind: 'u8', chunks: text() };
  yield section(`${name}.ends`, ends);
  yield section(`${name}.missing`, missing);
}

export const readStrings = (name: string, array: (name: string) => NumberArray): (string | undefined)[] => {
  const text = array(`${name}.text`);
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  const ends = array(`${name}.ends`);
  const missing = array(`${name}.missing`);
  const strings = new Array<string | undefined>(ends.length);
  for (let at = 0, from = 0; at < ends.length; at++) {
    const end = ends[at]!;
    strings[at] = missing[at] === 1 ? undefined : bytes.toString('utf8', from, end);
    from = end;
  }
  return strings;
};

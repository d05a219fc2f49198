import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addPrefixes, livePrefixes, readPrefixes, retirePrefix, writePrefixes } from './key-prefixes.ts';

const read = (text: string) => readPrefixes(text)._unsafeUnwrap();
const none = read('');

describe('key prefixes', () => {
  test('[F6] sections without a prefix get the next ones, others keep theirs', () => {
    const first = addPrefixes(none, ['b', 'a']).prefixes;
    const { prefixes, added } = addPrefixes(first, ['c', 'a', 'b']);
    expect(added).toEqual([{ kps: 3, name: 'c', isRetired: false }]);
    expect([...livePrefixes(prefixes)]).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });
  test('[F6] the prefix of a removed snippet is not given again', () => {
    const retired = retirePrefix(addPrefixes(none, ['a', 'b']).prefixes, 'b')!;
    const again = addPrefixes(retired, ['b']);
    expect(again.added).toEqual([{ kps: 3, name: 'b', isRetired: false }]);
    expect(readPrefixes(writePrefixes(again.prefixes))._unsafeUnwrap()).toEqual(again.prefixes);
  });
  test('[F6] not even if the line of the newest prefix was deleted by hand', () => {
    const text = writePrefixes(addPrefixes(none, ['a', 'b']).prefixes).replace('2 b\n', '');
    expect(addPrefixes(read(text), ['c']).added[0]!.kps).toBe(3);
  });
  test('[F6] a section without a prefix can’t be retired', () => {
    expect(retirePrefix(none, 'a')).toBeUndefined();
  });
  test.each([
    ['a prefix twice', '1 a\n1 b', 'line 2'],
    ['a retired prefix that is used again', '1 a retired\n1 b', 'line 2'],
    ['a section twice', '1 a\n2 a', 'line 2'],
    ['a prefix of 0', '0 a', 'line 1'],
    ['a prefix that is too large', '2147483648 a', 'line 1'],
    ['a prefix that is no number', 'x a', 'line 1'],
    ['a name that is none', '1 A', 'line 1'],
    ['no name', '1', 'line 1'],
    ['another word', '1 a old', 'line 1'],
    ['more words', '1 a retired now', 'line 1'],
  ])('[F6] %s is refused with its line', (_name, text, line) => {
    expect(readPrefixes(text)._unsafeUnwrapErr().mistakes[0]).toContain(line);
  });
  test('[F6] the largest prefix, comments and blank lines are read', () => {
    expect([...livePrefixes(read('# x\n\n2147483647 a # why\r\n'))]).toEqual([['a', 2147483647]]);
  });
  test('[F6] what is written is read back, whatever happened before', () => {
    const step = fc.record({ retire: fc.boolean(), name: fc.constantFrom('a', 'b', 'c/d') });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let now = none;
        const seen = new Set<number>();
        for (const { retire, name } of steps) {
          const { prefixes, added } = addPrefixes(now, retire ? [] : [name]);
          for (const { kps } of added) {
            expect(seen.has(kps)).toBe(false);
            seen.add(kps);
          }
          now = (retire ? retirePrefix(prefixes, name) : undefined) ?? prefixes;
          expect(read(writePrefixes(now))).toEqual(now);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

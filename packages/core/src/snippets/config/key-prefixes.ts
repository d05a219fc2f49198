import { err, ok, type Result } from 'neverthrow';
import { nameProblem } from '../address/snippet-name.ts';
import { WHOLE_NUMBER_MAX } from '../../kernel/index.ts';

/** One line of `key_prefixes.txt`. A retired prefix stays in the file, so that it is never given again. */
export type KeyPrefix = { readonly kps: number; readonly name: string; readonly isRetired: boolean };
export type KeyPrefixes = { readonly next: number; readonly prefixes: readonly KeyPrefix[] };
export type WrongPrefixes = { readonly kind: 'WrongPrefixes'; readonly mistakes: readonly string[] };

const KPS_MAX = 2 ** 31 - 1;
const HEADER = `# Key prefixes of snippets: the prefix, the section, and "retired" if it is no longer used.
# "doska snippets prefixes" adds the missing ones. A prefix is given once: keep the lines of retired ones.
`;
const numberOf = (text: string): number | undefined => {
  const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN;
  return value <= Math.min(KPS_MAX, WHOLE_NUMBER_MAX) ? value : undefined;
};

/** Reads the file of prefixes. A prefix or a live section that stands twice is a mistake. */
export const readPrefixes = (text: string): Result<KeyPrefixes, WrongPrefixes> => {
  const mistakes: string[] = [];
  const prefixes: KeyPrefix[] = [];
  const given = new Set<number>();
  const live = new Set<string>();
  let next = 1;
  const lines = text.split('\n').map((line, i) => ({ at: i + 1, words: line.split('#', 1)[0]!.trim() }));
  for (const { at, words } of lines) {
    if (words === '') continue;
    const say = (message: string): void => void mistakes.push(`line ${at}: ${message}`);
    const [first = '', name = '', flag, ...more] = words.split(/\s+/);
    const kps = numberOf(first === 'next' ? name : first);
    if (kps === undefined) {
      say(`a number from 1 to ${KPS_MAX} is expected`);
      continue;
    }
    next = Math.max(next, first === 'next' ? kps : kps + 1);
    if (first === 'next') continue;
    if (nameProblem(name) !== undefined) say(`"${name}" is no name of a section`);
    if ((flag !== undefined && flag !== 'retired') || more.length > 0)
      say('only "retired" may stand behind the name');
    if (given.has(kps)) say(`the prefix ${kps} stands twice`);
    const isRetired = flag === 'retired';
    if (!isRetired && live.has(name)) say(`the section "${name}" stands twice`);
    given.add(kps);
    if (!isRetired) live.add(name);
    prefixes.push({ kps, name, isRetired });
  }
  return mistakes.length > 0 ? err({ kind: 'WrongPrefixes', mistakes }) : ok({ next, prefixes });
};

export const writePrefixes = ({ next, prefixes }: KeyPrefixes): string =>
  `${HEADER}next ${next}\n${prefixes
    .map(({ kps, name, isRetired }) => `${kps} ${name}${isRetired ? ' retired' : ''}\n`)
    .join('')}`;

/** The prefix of each section that has one. */
export const livePrefixes = ({ prefixes }: KeyPrefixes): ReadonlyMap<string, number> =>
  new Map(prefixes.filter(({ isRetired }) => !isRetired).map(({ name, kps }) => [name, kps]));

/** Gives each of the sections without a prefix the next one. A prefix that was given once is never given again. */
export const addPrefixes = (
  given: KeyPrefixes,
  sections: readonly string[],
): { readonly prefixes: KeyPrefixes; readonly added: readonly KeyPrefix[] } => {
  const known = livePrefixes(given);
  const missing = [...new Set(sections)].filter((name) => !known.has(name)).sort();
  const added = missing.map((name, i) => ({ kps: given.next + i, name, isRetired: false }));
  return {
    prefixes: { next: given.next + added.length, prefixes: given.prefixes.concat(added) },
    added,
  };
};

/** Marks the prefix of a section as retired. Undefined if the section has none. */
export const retirePrefix = (given: KeyPrefixes, name: string): KeyPrefixes | undefined =>
  livePrefixes(given).has(name)
    ? {
        next: given.next,
        prefixes: given.prefixes.map((one) =>
          one.name === name && !one.isRetired ? { ...one, isRetired: true } : one,
        ),
      }
    : undefined;

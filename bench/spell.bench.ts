import { WordIndex, type KnownWord } from '@doska/core/search';
import { chance } from './engine/corpus.ts';
import { numberOption, runBench, type Measured } from './harness.ts';

/** The spell checker's lookup of near words, against the edit distance to every word. */
const WORDS = numberOption(process.argv, '--words', 200_000);
const SECONDS = 2;
const LETTERS = 'абвгдежзийклмнопрстуфхцчшщыьэюя';

const next = chance(1);
const below = (n: number): number => Math.floor(next() * n);
const letter = (): string => LETTERS[below(LETTERS.length)]!;
const drawn = new Set<string>();
while (drawn.size < WORDS) drawn.add(Array.from({ length: 5 + below(7) }, letter).join(''));
const words: KnownWord[] = [...drawn].map((word, n) => ({ word, documents: 1 + (n % 50) }));

/** A word with one letter changed, missing, doubled or swapped with the next one. */
const misspelled = (word: string): string => {
  const at = below(word.length - 1);
  const kinds = [
    () => word.slice(0, at) + letter() + word.slice(at + 1),
    () => word.slice(0, at) + word.slice(at + 1),
    () => word.slice(0, at) + word[at]! + word.slice(at),
    () => word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2),
  ];
  return kinds[below(kinds.length)]!();
};
const typed = Array.from({ length: 1_000 }, () => misspelled(words[below(WORDS)]!.word));

const distance = (a: string, b: string): number => {
  let before = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(row[j - 1]! + 1, before[j]! + 1, before[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    before = row;
  }
  return before[b.length]!;
};
const scanned = (text: string): string | undefined => {
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const { word } of words) {
    const edits = distance(text, word);
    if (edits <= 2 && (!best || edits < best.edits)) best = { word, edits };
  }
  return best?.word;
};

const startedMs = performance.now();
const index = WordIndex.of(words);
const builtMs = performance.now() - startedMs;

const rate = (find: (text: string) => unknown): Measured => {
  const latencies: number[] = [];
  const untilMs = performance.now() + SECONDS * 1_000;
  let found = 0;
  for (let at = 0; performance.now() < untilMs; at++) {
    const fromMs = performance.now();
    if (find(typed[at % typed.length]!) !== undefined) found++;
    latencies.push(performance.now() - fromMs);
  }
  if (found < 0.9 * latencies.length) throw new Error(`${found} of ${latencies.length} words were found`);
  const sorted = latencies.toSorted((a, b) => a - b);
  const spentMs = latencies.reduce((sum, one) => sum + one, 0);
  return {
    value: (latencies.length * 1_000) / spentMs,
    figures: { p99_us: 1_000 * sorted[Math.floor(0.99 * (sorted.length - 1))]! },
  };
};

await runBench({
  name: 'spell',
  unit: 'lookups/s',
  ratios: [{ name: 'lookup_vs_scan', subject: 'lookup', baseline: 'scan', goal: 100, stretch: 500 }],
  variants: [
    {
      name: 'lookup',
      run: async () => ({
        ...rate((text) => index.nearest(text)),
        plain: { bytes_a_word: index.bytes / WORDS, build_ms: builtMs },
      }),
    },
    { name: 'scan', run: async () => rate(scanned) },
  ],
});

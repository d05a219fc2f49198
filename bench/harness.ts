import { ratioOf, shuffled, spread, type Spread } from './statistics.ts';

/** What one run of one variant measured. Bigger is better: rates, not durations. */
export type Measured = {
  readonly value: number;
  /** Reported under the variant's name. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Reported under their own names: figures of the whole benchmark. */
  readonly plain?: Readonly<Record<string, number>>;
};

/** One way to do the work. `run` checks its own result (row counts, bytes) and throws when it is wrong. */
export type Variant = { readonly name: string; run(round: number): Promise<Measured> };

export type Ratio = {
  readonly name: string;
  readonly subject: string;
  readonly baseline: string;
  readonly goal?: number;
  /** What would be better still. */
  readonly stretch?: number;
  /** A cost: the goal is a ceiling. */
  readonly isCost?: boolean;
};

export type Bench = {
  readonly name: string;
  /** The unit of every variant's value, e.g. `records/s`. */
  readonly unit: string;
  readonly variants: readonly Variant[];
  readonly ratios: readonly Ratio[];
};

export type Report = {
  readonly bench: string;
  readonly ratios: Record<string, number>;
  readonly figures: Record<string, number>;
};

type Options = { readonly rounds: number; readonly json: boolean };

export const optionsOf = (args: readonly string[]): Options => {
  const at = args.indexOf('--rounds');
  const rounds = at < 0 ? 5 : Number(args[at + 1]);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1');
  return { rounds, json: args.includes('--json') };
};

/** A whole number given by name, e.g. `--docs 1000000`. */
export const numberOption = (args: readonly string[], name: string, otherwise: number): number => {
  const at = args.indexOf(name);
  const value = at < 0 ? otherwise : Number(args[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} takes a whole number from 1`);
  return value;
};

const below = (n: number): number => Math.floor(Math.random() * n);
const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const shown = ({ median, min, max }: Spread): string => `${short(median)} [${short(min)}..${short(max)}]`;
const rounded = (value: number): number => Number(value.toPrecision(4));

const verdictOf = (
  median: number,
  { goal, stretch, isCost = false }: Pick<Ratio, 'goal' | 'stretch' | 'isCost'>,
): string => {
  const judged = (name: string, bound: number | undefined): string =>
    bound === undefined
      ? ''
      : `${name} ${isCost ? '<= ' : ''}${bound}: ${(isCost ? median <= bound : median >= bound) ? 'met' : 'missed'}`;
  const said = [judged('goal', goal), judged('stretch', stretch)].filter((text) => text !== '');
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
};

type Values = Map<string, number[]>;
const note = (values: Values, name: string, value: number): void =>
  void values.set(name, [...(values.get(name) ?? []), value]);

/** All variants once a round, interleaved in a shuffled order; nothing is dropped. */
const measure = async (
  variants: readonly Variant[],
  rounds: number,
  say: (line: string) => void,
): Promise<[Values, Values]> => {
  const values: Values = new Map();
  const figures: Values = new Map();
  for (let round = 1; round <= rounds; round++) {
    for (const variant of shuffled(variants, below)) {
      const { value, figures: more = {}, plain = {} } = await variant.run(round);
      if (!Number.isFinite(value) || value <= 0) throw new Error(`${variant.name} measured ${value}`);
      note(values, variant.name, value);
      for (const [name, figure] of Object.entries(more)) note(figures, `${variant.name}.${name}`, figure);
      for (const [name, figure] of Object.entries(plain)) note(figures, name, figure);
      say(`  round ${round}/${rounds}  ${variant.name}: ${short(value)}`);
    }
  }
  return [values, figures];
};

/** Runs a benchmark and reports it: a table for people; with `--json` one object on the last line. */
export const runBench = async (
  bench: Bench,
  args: readonly string[] = process.argv.slice(2),
): Promise<Report> => {
  const { rounds, json } = optionsOf(args);
  const known = new Set(bench.variants.map(({ name }) => name));
  for (const { name, subject, baseline } of bench.ratios) {
    if (!known.has(subject) || !known.has(baseline))
      throw new Error(`ratio ${name} lacks ${subject} or its baseline ${baseline}`);
  }
  console.log(`${bench.name}: ${rounds} rounds, ${bench.unit}`);
  const [values, figures] = await measure(bench.variants, rounds, (line) => console.log(line));
  const report: Report = { bench: bench.name, ratios: {}, figures: {} };
  const all = (name: string): readonly number[] => values.get(name) ?? [];
  for (const [name, list] of [...values, ...figures]) {
    report.figures[name] = rounded(spread(list).median);
    console.log(`${name.padEnd(36)} ${shown(spread(list))}${values.has(name) ? ` ${bench.unit}` : ''}`);
  }
  for (const { name, subject, baseline, ...goals } of bench.ratios) {
    const ratio = ratioOf(all(subject), all(baseline));
    report.ratios[name] = rounded(ratio.median);
    console.log(`${name.padEnd(36)} ${shown(ratio)} x ${baseline}${verdictOf(ratio.median, goals)}`);
  }
  if (json) console.log(JSON.stringify(report));
  return report;
};

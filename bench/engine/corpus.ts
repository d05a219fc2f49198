import type { DocumentFields, IndexChange, IndexSchema, QueryPlan } from '@doska/core/vasgen';

/** A small deterministic source of chance: the same corpus on every machine. */
export const chance = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
};

export const benchSchema = {
  title: { kind: 'text', boost: 3 },
  description: { kind: 'text' },
  root: { kind: 'enum', clusters: true },
  middle: { kind: 'enum', clusters: true },
  category: { kind: 'enum', clusters: true },
  brand: { kind: 'enum' },
  color: { kind: 'enum' },
  condition: { kind: 'enum' },
  seller: { kind: 'enum' },
  delivery: { kind: 'boolean' },
  verified: { kind: 'boolean' },
  price: { kind: 'number' },
  year: { kind: 'number' },
  created: { kind: 'number' },
  ctr: { kind: 'number' },
  place: { kind: 'geo' },
} as const satisfies IndexSchema;

const SYLLABLES =
  'ба ве го ди жу ки ла ме но пу ра се то фа хи че шо ты ля мо ск ро ст ко на ри ев ан ор ит'.split(' ');
const ENDINGS = ['', 'а', 'ы', 'ой', 'ами', 'ов', 'у', 'ом'];
const WORDS = 6000;
const ROOTS = 10;
const MIDDLES = 80;
const CATEGORIES = 410;
export const BROAD_WORD = 'продам';

/** Stems by rank; every word is said in eight forms. */
const lemma = (rank: number): string => {
  const random = chance(rank + 17);
  let word = '';
  for (let left = 2 + Math.floor(random() * 3); left > 0; left--)
    word += SYLLABLES[Math.floor(random() * SYLLABLES.length)];
  return `${word}${SYLLABLES[rank % SYLLABLES.length]}н`;
};
const lemmas = Array.from({ length: WORDS }, (_, rank) => lemma(rank));
const form = (rank: number, random: () => number): string =>
  lemmas[rank]! + ENDINGS[Math.floor(random() * ENDINGS.length)]!;
/** Zipf–Mandelbrot: few words are everywhere, most are rare; a category prefers words of its own. */
const rankOf = (random: () => number, category: number): number => {
  if (random() < 0.3) return (category * 14 + Math.floor(random() * 40)) % WORDS;
  return Math.min(WORDS - 1, Math.floor(3 * ((WORDS / 3 + 1) ** random() - 1)));
};
const text = (random: () => number, words: number, category: number): string => {
  const list: string[] = [];
  for (let at = 0; at < words; at++)
    list.push(
      random() < 0.02 ? `x${Math.floor(random() * 200_000)}` : form(rankOf(random, category), random),
    );
  return list.join(' ');
};
const pick = (random: () => number, name: string, count: number): string =>
  `${name}${Math.floor(count * random() ** 2)}`;

export const fieldsOf = (number: number, generation = 0): DocumentFields => {
  const random = chance(number * 31 + generation * 1_000_003 + 7);
  const category = Math.floor(CATEGORIES * random() ** 1.5);
  const middle = category % MIDDLES;
  const broad = random() < 0.3 ? ` ${BROAD_WORD}` : '';
  return {
    title: text(random, 5 + Math.floor(random() * 4), category),
    description: text(random, 30 + Math.floor(random() * 31), category) + broad,
    root: `r${middle % ROOTS}`,
    middle: `m${middle}`,
    category: `c${category}`,
    brand: pick(random, 'b', 40),
    color: pick(random, 'k', 12),
    condition: pick(random, 's', 3),
    seller: pick(random, 't', 2),
    delivery: random() < 0.5,
    verified: random() < 0.3,
    price: Math.floor(10 ** (2 + 4 * random())),
    year: 1990 + Math.floor(35 * random()),
    created: 1_700_000_000 + Math.floor(60_000_000 * random()),
    ctr: Math.round(random() ** 3 * 1000) / 1000,
    place: {
      lat: Math.round((45 + 20 * random()) * 1e5) / 1e5,
      lon: Math.round((30 + 90 * random()) * 1e5) / 1e5,
    },
  };
};
export const pkOf = (number: number): string => `offer-${number}`;
export const upsertOf = (number: number, version: number): IndexChange => ({
  pk: pkOf(number),
  freshness: { epoch: 1, version, timestampMs: version, kind: 'document' },
  event: 'upsert',
  fields: fieldsOf(number, version),
});

/** The three queries of the study, as data that every peer can say in its own words. */
export type BenchQuery = {
  readonly kind: 'q1' | 'q2' | 'q3';
  readonly words?: readonly string[];
  readonly middle?: string;
  readonly root?: string;
  readonly brands?: readonly string[];
  readonly condition?: string;
  readonly delivery?: boolean;
  readonly price?: readonly [number, number];
  readonly year?: readonly [number, number];
};
export const queryOf = (kind: BenchQuery['kind'], seed: number): BenchQuery => {
  const random = chance(seed * 101 + 13);
  const price: [number, number] = [Math.floor(10 ** (2 + random())), Math.floor(10 ** (5 + random()))];
  if (kind === 'q3') return { kind, words: [BROAD_WORD] };
  if (kind === 'q1') {
    const category = Math.floor(CATEGORIES * random() ** 1.5);
    // Two words that are said in this category, in some of their forms.
    const words = [0, 1].map(() => form((category * 14 + Math.floor(random() * 40)) % WORDS, random));
    return { kind, words, middle: `m${category % MIDDLES}`, price };
  }
  return {
    kind,
    root: `r${Math.floor(ROOTS * random())}`,
    brands: [0, 1, 2].map((n) => `b${n * 3 + Math.floor(3 * random())}`),
    condition: `s${Math.floor(2 * random())}`,
    delivery: random() < 0.5,
    price,
    year: [1995, 2005 + Math.floor(15 * random())],
  };
};

const page = { limit: 20 };
const facets = [{ kind: 'terms', name: 'category', field: 'category' }] as const;
const boosts = [{ kind: 'factor', field: 'ctr', weight: 1 }] as const;
const range = (field: string, [min, max]: readonly [number, number]) =>
  ({ kind: 'range', field, min, max }) as const;
const terms = (field: string, ...values: readonly (string | boolean)[]) =>
  ({ kind: 'terms', field, values }) as const;

export const planOf = (query: BenchQuery): QueryPlan => {
  if (query.kind === 'q3') return { text: { words: query.words![0]! }, boosts, facets, page };
  if (query.kind === 'q1') {
    const of = [terms('middle', query.middle!), range('price', query.price!)];
    return { text: { words: query.words!.join(' ') }, boosts, facets, page, filter: { kind: 'all', of } };
  }
  const of = [
    terms('root', query.root!),
    terms('brand', ...query.brands!),
    terms('condition', query.condition!),
    terms('delivery', query.delivery!),
    range('price', query.price!),
    range('year', query.year!),
  ];
  return { filter: { kind: 'all', of }, sort: [{ by: 'column', field: 'created', direction: 'desc' }], page };
};

import fc from 'fast-check';
import type { DocumentFields, IndexChange } from '../engine/index-change.ts';
import type { IndexSchema } from '../engine/index-schema.ts';
import type { Boost, Choice, Facet, Filter, QueryPlan, SortKey, TextQuery } from '../engine/query-plan.ts';

/** One field of every kind, two where it matters that there are two. */
export const sampleSchema = {
  title: { kind: 'text', boost: 3 },
  body: { kind: 'text' },
  category: { kind: 'enum', clusters: true },
  brand: { kind: 'enum' },
  fresh: { kind: 'boolean' },
  price: { kind: 'number' },
  year: { kind: 'number' },
  city: { kind: 'string' },
  place: { kind: 'geo' },
  look: { kind: 'vector', dimension: 3 },
  tags: { kind: 'enum', multiple: true },
  codes: { kind: 'string', multiple: true },
} as const satisfies IndexSchema;

/** Small enough that words, values and documents meet often. */
const WORDS = [
  'диван',
  'диваны',
  'Ёлка',
  'елка',
  'и',
  'the',
  'Phone',
  'phones',
  'стол',
  'стола',
  'x1',
  'ПЛЁС',
  'плес',
];
const CATEGORIES = ['auto', 'home', 'job', 'dog'];
const words = (max: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WORDS), { maxLength: max }).map((list) => list.join(' '));
const category = fc.constantFrom(...CATEGORIES);
const brand = fc.constantFrom('lada', 'kia', 'ёж');
const price = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(0.1, -2.5, 1e9, 123456789.5));
const year = fc.integer({ min: 2000, max: 2004 });
const city = fc.constantFrom('Омск', 'Орёл', 'Ухта', 'омск');
const place = fc.record({
  lat: fc.integer({ min: -90, max: 90 }),
  lon: fc.integer({ min: -180, max: 180 }),
});
const look = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 });
const tag = fc.constantFrom('new', 'sale', 'red', 'ёж');
const code = fc.constantFrom('A1', 'a1', 'Ж7');

export const fieldsArbitrary: fc.Arbitrary<DocumentFields> = fc.record(
  {
    title: words(4),
    body: words(8),
    category,
    brand,
    fresh: fc.boolean(),
    price,
    year,
    city,
    place,
    look,
    tags: fc.array(tag, { maxLength: 5 }),
    codes: fc.array(code, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

/** Histories in which documents, places and kinds collide: deletes, expiries, repetitions, changes out of order. */
export const changeArbitrary = (epoch: number, pks: number): fc.Arbitrary<IndexChange> =>
  fc
    .record({
      pk: fc.nat({ max: pks - 1 }).map((n) => `pk${n}`),
      version: fc.nat({ max: 3 }),
      timestampMs: fc.nat({ max: 2 }),
      what: fc.constantFrom('upsert', 'upsert', 'upsert', 'delete', 'expiry'),
      fields: fieldsArbitrary,
    })
    .map(({ pk, version, timestampMs, what, fields }): IndexChange => {
      const freshness = {
        epoch,
        version,
        timestampMs,
        kind: what === 'expiry' ? 'expiry' : 'document',
      } as const;
      return what === 'upsert'
        ? { pk, freshness, event: 'upsert', fields }
        : { pk, freshness, event: 'delete' };
    });
export const historyArbitrary = (epoch = 1, pks = 30, maxLength = 60): fc.Arbitrary<IndexChange[]> =>
  fc.array(changeArbitrary(epoch, pks), { maxLength });

const some = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 3 });
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  some(category).map((values): Filter => ({ kind: 'terms', field: 'category', values })),
  some(brand).map((values): Filter => ({ kind: 'terms', field: 'brand', values })),
  some(fc.boolean()).map((values): Filter => ({ kind: 'terms', field: 'fresh', values })),
  some(city).map((values): Filter => ({ kind: 'terms', field: 'city', values })),
  some(tag).map((values): Filter => ({ kind: 'terms', field: 'tags', values })),
  some(code).map((values): Filter => ({ kind: 'terms', field: 'codes', values })),
  price.map((min): Filter => ({ kind: 'range', field: 'price', min })),
  fc
    .tuple(year, fc.nat({ max: 3 }))
    .map(([min, more]): Filter => ({ kind: 'range', field: 'year', min, max: min + more })),
  fc
    .record({ from: place, km: fc.integer({ min: 1, max: 9000 }) })
    .map(({ from, km }): Filter => ({ kind: 'radius', field: 'place', from, meters: km * 1000 + 0.5 })),
  fc
    .constantFrom('category', 'price', 'city', 'place', 'look', 'fresh', 'tags', 'codes')
    .map((field): Filter => ({ kind: 'exists', field })),
);
export const filterArbitrary: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    some(tie('filter')).map((of): Filter => ({ kind: 'all', of })),
    some(tie('filter')).map((of): Filter => ({ kind: 'any', of })),
    tie('filter').map((of): Filter => ({ kind: 'not', of })),
  ),
})).filter;

const text: fc.Arbitrary<TextQuery> = fc.record(
  {
    words: fc.oneof(words(3), fc.constantFrom('ди', 'ста', 'the и', '', '—', 'x')),
    match: fc.constantFrom('all', 'any', 'phrase'),
    prefixLast: fc.boolean(),
  },
  { requiredKeys: ['words'] },
);
const columnKey: fc.Arbitrary<SortKey> = fc.record({
  by: fc.constant('column' as const),
  field: fc.constantFrom('price', 'year', 'city', 'category', 'fresh'),
  direction: fc.constantFrom('asc', 'desc'),
});
/** Keys whose values every engine computes alike. */
export const columnSort = fc.array(columnKey, { maxLength: 3 });
const anySort: fc.Arbitrary<SortKey[]> = fc.array(
  fc.oneof(
    columnKey,
    place.map((from): SortKey => ({ by: 'distance', field: 'place', from })),
    look.map((to): SortKey => ({ by: 'similarity', field: 'look', to })),
  ),
  { maxLength: 3 },
);
const boosts: fc.Arbitrary<Boost[]> = fc.subarray([
  { kind: 'factor', field: 'price', weight: 0.5 },
  { kind: 'recency', field: 'year', weight: 2, now: 2003, halfLife: 2 },
]);
export const sampleFacets: readonly Facet[] = [
  { kind: 'terms', name: 'category', field: 'category' },
  { kind: 'terms', name: 'brands', field: 'brand', limit: 2 },
  { kind: 'terms', name: 'fresh', field: 'fresh' },
  { kind: 'terms', name: 'tags', field: 'tags', limit: 3 },
  {
    kind: 'ranges',
    name: 'years',
    field: 'year',
    ranges: [{ max: 2001 }, { min: 2001, max: 2003 }, { min: 2003 }],
  },
  { kind: 'stats', name: 'span', field: 'year' },
];
const choice: fc.Arbitrary<Choice> = fc.record({
  facet: fc.constantFrom('category', 'brands', 'fresh', 'tags', 'years', 'span', 'none'),
  filter: leaf,
});
const page = fc.record({ limit: fc.nat({ max: 12 }), offset: fc.nat({ max: 5 }) });

/** `vectors: false` leaves out what only some engines can do. */
export const planArbitrary = ({
  vectors = true,
}: { readonly vectors?: boolean } = {}): fc.Arbitrary<QueryPlan> =>
  fc.record(
    {
      text,
      filter: filterArbitrary,
      choices: fc.array(choice, { maxLength: 3 }),
      sort: vectors ? anySort : columnSort,
      boosts,
      page,
      facets: fc.subarray([...sampleFacets]),
    },
    { requiredKeys: ['page', 'facets'] },
  );

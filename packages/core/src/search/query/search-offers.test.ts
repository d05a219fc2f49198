import fc from 'fast-check';
import { err, errAsync, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { catalogOf, type CategoryId } from '../../catalog/index.ts';
import type { OfferView } from '../../gost/index.ts';
import { unavailable } from '../../kernel/index.ts';
import type { SearchAnswer } from '../../vasgen/index.ts';
import { shownFilters } from '../filters/shown-filters.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';
import { formatFilter, parseFilter, type ChosenFilter } from './filter-text.ts';
import type { SearchIndex } from './search-index.port.ts';

const catalog = sampleCatalog();
const below = (id: string, above: string): boolean =>
  catalog.path(id as CategoryId).some((one) => one.id === above);

/** What a filter means, by looking at the offer itself. */
const passes = (filter: ChosenFilter, { attributes, price, sellerType }: OfferView): boolean => {
  const valuesOf = (id: string): readonly (string | number | boolean)[] =>
    attributes.find(({ attribute }) => `attr.${attribute}` === id)?.values ?? [];
  if (filter.kind === 'range') {
    const numbers =
      filter.id === 'price' ? (price ? [price.minorUnits / 100] : []) : (valuesOf(filter.id) as number[]);
    return numbers.some((one) => one >= (filter.min ?? -Infinity) && one <= (filter.max ?? Infinity));
  }
  const seen = filter.id === 'sellerType' ? [sellerType] : valuesOf(filter.id).map(String);
  return seen.some((value) => filter.values.includes(String(value)));
};

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> =>
  fc.option(
    one.map((value) => [value]),
    { nil: [] },
  );
const anyOffer = fc.record({
  category: fc.constantFrom('cars', 'vans', 'phones'),
  sellerType: fc.constantFrom('private' as const, 'company' as const),
  roubles: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  brand: maybe(fc.constantFrom('bmw', 'audi', 'kia')),
  year: maybe(fc.integer({ min: 2000, max: 2003 })),
  electric: maybe(fc.boolean()),
  colors: fc.subarray(['red', 'blue']),
});
type Drawn = typeof anyOffer extends fc.Arbitrary<infer One> ? One : never;
const toOffer = ({ category, sellerType, roubles, ...attributes }: Drawn, n: number) =>
  offerOf(`o${n}`, {
    category: category as CategoryId,
    sellerType,
    price: roubles === undefined ? undefined : { minorUnits: roubles * 100, currency: 'RUB' },
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, values]) => values.length > 0)),
  });
const anyFilter = fc.constantFrom(
  'attr.brand:bmw',
  'attr.brand:bmw,kia',
  'attr.year:2001..',
  'attr.year:..2002',
  'attr.electric:true',
  'attr.colors:red',
  'attr.colors:red,blue',
  'sellerType:company',
  'price:1..3',
);
const isOther = (a: string, b: string): boolean => a.split(':')[0] === b.split(':')[0];
const anyQuery = fc.record({
  offers: fc.array(anyOffer, { maxLength: 9 }).map((drawn) => drawn.map((one, n) => toOffer(one, n))),
  filters: fc.uniqueArray(anyFilter, { maxLength: 3, comparator: isOther }),
  category: fc.constantFrom('', 'all', 'transport', 'cars', 'vans', 'phones'),
});

describe('numbers of an answer', () => {
  test('[S6] [S7] [S8] totals, categories, ranges and counts that ignore their own filter equal brute force', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, async ({ offers, filters, category }) => {
        const { api } = await searchInMemory(offers);
        const chosen = filters.map((text) => parseFilter(text, 'filter')._unsafeUnwrap());
        const within = offers.filter((one) => category === '' || below(one.category, category));
        const match = (own?: string): readonly OfferView[] =>
          within.filter((one) => chosen.every((filter) => filter.id === own || passes(filter, one)));
        const found = match();
        const answer = (
          await api.searchOffers(rawQuery({ category, filters, pageSize: 100 }))
        )._unsafeUnwrap();
        expect(answer.offers.map(({ offerId }) => offerId).toSorted()).toEqual(found.map(({ id }) => id));
        expect(answer.total).toBe(found.length);
        const counted = Object.fromEntries(answer.categories.map(({ id, count }) => [id, count]));
        const categories = [...new Set(found.map((one) => one.category))];
        expect(counted).toEqual(
          Object.fromEntries(categories.map((id) => [id, found.filter((one) => one.category === id).length])),
        );
        for (const filter of answer.filters) {
          expect([filter.id, filter.exact]).toEqual([
            filter.id,
            filter.type !== 'age' && filter.id !== 'geo' ? true : filter.exact,
          ]);
          const base = match(filter.id);
          for (const { id, count } of filter.values) {
            const one: ChosenFilter = { id: filter.id, kind: 'values', values: [id] };
            if (filter.id !== 'geo' && filter.id !== 'withPhoto')
              expect([formatFilter(one), count]).toEqual([
                formatFilter(one),
                base.filter((view) => passes(one, view)).length,
              ]);
          }
          if (filter.type !== 'range') continue;
          const all: ChosenFilter = { id: filter.id, kind: 'range', min: -Infinity, max: undefined };
          const numbers = base.filter((view) => passes(all, view));
          expect([filter.id, filter.stats?.count]).toEqual([filter.id, numbers.length]);
          for (const bound of [filter.stats?.min, filter.stats?.max])
            if (bound !== undefined) {
              const at: ChosenFilter = { id: filter.id, kind: 'range', min: bound, max: bound };
              expect(base.some((view) => passes(at, view))).toBe(true);
            }
          const outside = (min: number | undefined, max: number | undefined): ChosenFilter => ({
            id: filter.id,
            kind: 'range',
            min,
            max,
          });
          const { min = -Infinity, max = Infinity } = filter.stats ?? {};
          expect(base.filter((view) => passes(outside(min, max), view))).toHaveLength(numbers.length);
        }
        // Coverage 1: each attribute filter belongs to every found category, or the request uses it.
        for (const { id } of answer.filters.filter((one) => one.id.startsWith('attr.')))
          expect(
            chosen.some((one) => one.id === id) ||
              categories.every((one) =>
                catalog.effectiveAttributes(one).some(({ attribute }) => `attr.${attribute.id}` === id),
              ),
          ).toBe(true);
      }),
      { numRuns: 1000 },
    );
  }, 120_000);
});

test.each([1, 0.2])(
  '[S7] an answer has the filters of table T4 with coverage %d, whether its category was asked for before or not',
  async (coverageMin) => {
    // The category above the others has the most offers, so it is found first.
    const offers = ['transport', 'transport', 'cars', 'vans', 'phones'].map((id, n) =>
      offerOf(`${id}-${n}`, {
        category: id as CategoryId,
        attributes: { colors: ['red'], ...(id === 'cars' && { brand: ['bmw'] }) },
      }),
    );
    const { api } = await searchInMemory(offers, { settings: { coverageMin } });
    const queries = ['', 'all', 'transport', 'cars', 'vans', 'job'].flatMap((category) =>
      [[], ['attr.colors:red'], ['attr.brand:bmw'], ['sellerType:private']].map((filters) => ({
        category,
        filters,
      })),
    );
    for (const { category, filters } of [...queries, ...queries]) {
      const answer = (await api.searchOffers(rawQuery({ category, filters })))._unsafeUnwrap();
      const expected = shownFilters({
        catalog,
        found: answer.categories.map(({ id, count }) => ({ id: id as CategoryId, count })),
        requested: category === '' ? undefined : (category as CategoryId),
        used: filters.map((text) => parseFilter(text, 'filter')._unsafeUnwrap().id),
        coverageMin,
      });
      const asked = JSON.stringify([category, filters]);
      expect([asked, answer.filters.map(({ id, range }) => [id, range])]).toEqual([
        asked,
        expected.filters.map(({ id, range }) => [id, range]),
      ]);
    }
  },
);

test('[S6] a moved category needs no re-index: the copy of the catalogue says what is below a category', async () => {
  const { version, content } = catalog;
  const categories = content.categories.map((one) =>
    one.id === 'vans' ? { ...one, parent: 'phones' as CategoryId } : one,
  );
  let newest = catalog;
  const { api } = await searchInMemory(
    ['cars', 'vans'].map((id) => offerOf(id, { category: id as CategoryId })),
    { copy: () => ok({ catalog: newest, ageMs: 0 }) },
  );
  const foundBelow = async (category: string): Promise<readonly string[]> => {
    const { offers } = (await api.searchOffers(rawQuery({ category })))._unsafeUnwrap();
    return offers.map(({ offerId }) => offerId).toSorted();
  };
  expect([await foundBelow('transport'), await foundBelow('phones')]).toEqual([['cars', 'vans'], []]);
  newest = catalogOf(version + 1, { ...content, categories });
  expect([await foundBelow('transport'), await foundBelow('phones')]).toEqual([['cars'], ['vans']]);
});

describe('an answer that lacks something', () => {
  const offers = [offerOf('a', { title: 'BMW красный' }), offerOf('b', { title: 'Audi' })];
  const away = unavailable('searcher', new Error('away'));
  const notesOf = async (change: (index: SearchIndex) => SearchIndex, text = 'bmw') => {
    const { api } = await searchInMemory(offers, { change });
    return (await api.searchOffers(rawQuery({ text })))._unsafeUnwrap();
  };
  test.each(['и', 'и the', ', . !', '—'])(
    '[S6] the text %j is no condition, and the answer says so',
    async (text) => {
      const { api } = await searchInMemory(offers);
      const found = (await api.searchOffers(rawQuery({ text })))._unsafeUnwrap();
      expect(found).toMatchObject({ total: 2, notes: ['TextIgnored'] });
    },
  );
  test('[S12] cards that can not be had leave ids and scores, and the answer says so', async () => {
    const found = await notesOf((index) => ({ ...index, documents: () => errAsync(away) }));
    expect(found).toMatchObject({ offers: [{ offerId: 'a', card: undefined }], notes: ['NoCards'] });
  });
  test('[S6] an answer that was cut says so, and its counts are lower bounds', async () => {
    const cut = (answer: SearchAnswer): SearchAnswer => ({
      ...answer,
      cut: 'time',
      facets: answer.facets.map((facet) => ({ ...facet, exact: false })),
    });
    const found = await notesOf((index) => ({
      ...index,
      execute: (request) => index.execute(request).map(cut),
    }));
    expect(found.notes).toEqual(['Cut']);
    expect(found.filters.every(({ exact }) => !exact)).toBe(true);
  });
  test('[S8] counts that can not be had, or that saw another state of the index, are said to be so', async () => {
    const second = (answer: (one: SearchAnswer) => SearchAnswer) => (index: SearchIndex) => {
      let calls = 0;
      return {
        ...index,
        execute: (request: Parameters<SearchIndex['execute']>[0]) =>
          index.execute(request).map((one) => (++calls > 1 ? answer(one) : one)),
      };
    };
    const moved = await notesOf(second((one) => ({ ...one, generation: one.generation + 1 })));
    expect(moved.filters.filter(({ exact }) => exact)).toEqual([]);
    const failed = await notesOf((index) => ({
      ...index,
      execute: (request) => (request.page.limit === 0 ? errAsync(away) : index.execute(request)),
    }));
    expect(failed.notes).toEqual(['NoCounts']);
  });
  test('[S6] a searcher that is away, or has not caught up, is unavailable and may be asked again', async () => {
    const { api } = await searchInMemory(offers, {
      change: (index) => ({ ...index, execute: () => errAsync(away) }),
    });
    expect((await api.searchOffers(rawQuery()))._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      retryable: true,
    });
  });
  test('[S9] a page token of an epoch that is gone is refused with what to do', async () => {
    const { api } = await searchInMemory(offers, {
      change: (index) => ({
        ...index,
        execute: (request) =>
          request.epoch === undefined ? index.execute(request) : errAsync({ kind: 'EpochGone', epoch: 1 }),
      }),
    });
    const query = rawQuery({ pageSize: 1 });
    const { nextPageToken } = (await api.searchOffers(query))._unsafeUnwrap();
    const refused = await api.searchOffers({ ...query, pageToken: nextPageToken });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      violations: [
        { path: 'page_token', message: expect.stringContaining('start again without a token') as string },
      ],
    });
  });
  test('[S7] without a catalogue a text still finds offers, without filters; a category can not be checked', async () => {
    const none = { kind: 'NoCopy' } as never;
    const { api } = await searchInMemory(offers, { copy: () => err(none) });
    expect((await api.searchOffers(rawQuery({ text: 'bmw' })))._unsafeUnwrap()).toMatchObject({
      total: 1,
      filters: [],
      notes: ['NoCatalog'],
    });
    expect((await api.searchOffers(rawQuery({ category: 'cars' })))._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
    });
  });
});

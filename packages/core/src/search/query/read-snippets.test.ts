import { errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { SellerId } from '../../gost/index.ts';
import { unavailable } from '../../kernel/index.ts';
import type { GluedSnippet, MultiGetQuery } from '../../snippets/index.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';

const snippet = (name: string, key: string): GluedSnippet => ({
  name,
  key,
  content: { format: 'raw', bytes: new TextEncoder().encode(`${name} of ${key}`) },
});
const offers = [
  offerOf('a', { title: 'BMW', seller: 'ann' as SellerId }),
  offerOf('b', { title: 'BMW синий', seller: 'bob' as SellerId }),
];
const open = async (found: readonly GluedSnippet[], count = offers.length) => {
  const asked: MultiGetQuery[] = [];
  const many = Array.from(
    { length: count },
    (_, n) => offers[n] ?? offerOf(`o${n}`, { seller: `s${n}` as SellerId }),
  );
  const { api } = await searchInMemory(many, {
    snippets: {
      find: (query) => {
        asked.push(query);
        return okAsync(
          found.filter(({ name, key }) => query.names.includes(name) && query.keys.includes(key)),
        );
      },
    },
  });
  return { api, asked };
};

test('[F11] snippets of a search stand beside the offers they are of, and beside the answer', async () => {
  const { api, asked } = await open([
    snippet('badge', 'offer:a'),
    snippet('badge', 'seller:ann'),
    snippet('rating', 'seller:ann'),
    snippet('banner', 'category:cars'),
    snippet('banner', 'query:bmw'),
  ]);
  const found = (
    await api.searchOffers(rawQuery({ text: 'BMW', category: 'cars' }), {
      names: ['badge', 'rating', 'banner'],
      language: 'ru',
    })
  )._unsafeUnwrap();
  const texts = Object.fromEntries(
    found.offers.map(({ offerId, snippets }) => [
      offerId,
      Object.values(snippets).map(({ bytes }) => new TextDecoder().decode(bytes)),
    ]),
  );
  expect(texts).toEqual({ a: ['badge of offer:a', 'rating of seller:ann'], b: [] });
  expect(found.snippets.map(({ key }) => key)).toEqual(['category:cars', 'query:bmw']);
  expect(found.notes).toEqual([]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ language: 'ru' });
});

test('[F11] a search that asks for no snippets makes no call', async () => {
  const { api, asked } = await open([]);
  await api.searchOffers(rawQuery());
  expect(asked).toEqual([]);
});

test('[F11] a call asks for at most 500 pairs of section and key', async () => {
  const { api, asked } = await open([snippet('n0', 'offer:o99')], 100);
  const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
  const found = (
    await api.searchOffers(rawQuery({ pageSize: 100 }), { names, language: '' })
  )._unsafeUnwrap();
  for (const query of asked) expect(query.names.length * query.keys.length).toBeLessThanOrEqual(500);
  expect(asked.flatMap(({ keys }) => keys)).toHaveLength(200);
  expect(found.offers.filter(({ snippets }) => 'n0' in snippets).map(({ offerId }) => offerId)).toEqual([
    'o99',
  ]);
});

test.each([
  ['is away', { find: () => errAsync(unavailable('snippets', new Error('away'))) }],
  ['is not configured', undefined],
])('[F11] a snippet service that %s only leaves the snippets out', async (_, snippets) => {
  const { api } = await searchInMemory(offers, snippets && { snippets });
  const asked = { names: ['badge'], language: '' };
  const found = (await api.searchOffers(rawQuery({ text: 'bmw' }), asked))._unsafeUnwrap();
  expect(found).toMatchObject({ total: 2, snippets: [], notes: ['NoSnippets'] });
});

test('[S9] wrong names of snippets are refused with their field', async () => {
  const { api } = await open([]);
  const refused = await api.searchOffers(rawQuery(), {
    names: ['', 'x'.repeat(201)],
    language: 'x'.repeat(99),
  });
  expect(refused._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'snippet_names[0]' }, { path: 'snippet_names[1]' }, { path: 'snippet_language' }],
  });
  const many = Array.from({ length: 11 }, (_, n) => `n${n}`);
  expect(
    (await api.searchOffers(rawQuery(), { names: many, language: '' }))._unsafeUnwrapErr(),
  ).toMatchObject({
    violations: [{ path: 'snippet_names' }],
  });
});

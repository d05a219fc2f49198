import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SellerId } from '../../gost/index.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';

const anyOffers = fc
  .array(
    fc.record({
      seller: fc.constantFrom('ann', 'bob', 'eve'),
      words: fc.constantFrom('BMW', 'BMW BMW', 'BMW x'),
    }),
    {
      maxLength: 12,
    },
  )
  .map((drawn) =>
    drawn.map(({ seller, words }, n) => offerOf(`o${n}`, { title: words, seller: seller as SellerId })),
  );

test('[S13] no page has more offers of one seller than allowed; total, counts and what was held back are exact', async () => {
  const asked = fc.record({
    offers: anyOffers,
    max: fc.integer({ min: 1, max: 3 }),
    pageSize: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(asked, async ({ offers, max, pageSize }) => {
      const { api } = await searchInMemory(offers, { settings: { sellerOffersMax: max } });
      const { api: plain } = await searchInMemory(offers);
      const all = (await plain.searchOffers(rawQuery({ text: 'bmw', pageSize: 100 })))._unsafeUnwrap();
      const order = all.offers.map(({ offerId }) => offerId);
      const sellerOf = (id: string) => offers.find((one) => one.id === id)!.seller;
      let from = 0;
      for (let pageToken = ''; ;) {
        const page = (await api.searchOffers(rawQuery({ text: 'bmw', pageSize, pageToken })))._unsafeUnwrap();
        const ids = page.offers.map(({ offerId }) => offerId);
        const expected: string[] = [];
        for (const id of order.slice(from)) {
          const same = expected.filter((one) => sellerOf(one) === sellerOf(id));
          if (expected.length < pageSize && same.length < max) expected.push(id);
        }
        expect(ids).toEqual(expected);
        const end = ids.length < pageSize ? order.length : order.indexOf(ids.at(-1)!) + 1;
        expect([page.total, page.heldBack]).toEqual([offers.length, end - from - ids.length]);
        expect(page.categories).toEqual(all.categories);
        from = end;
        pageToken = page.nextPageToken;
        if (pageToken === '') break;
      }
    }),
    { numRuns: 300 },
  );
});

test('[S13] a request that names the seller, or sorts by a column, gets everything', async () => {
  const offers = ['a', 'b', 'c'].map((id) => offerOf(id));
  const { api } = await searchInMemory(offers, { settings: { sellerOffersMax: 1 } });
  const count = async (query: Parameters<typeof rawQuery>[0]) => {
    const { offers: hits, heldBack } = (await api.searchOffers(rawQuery(query)))._unsafeUnwrap();
    return [hits.length, heldBack];
  };
  expect(await count({})).toEqual([1, 2]);
  expect(await count({ filters: ['seller:ann'] })).toEqual([3, 0]);
  expect(await count({ sort: 'price' })).toEqual([3, 0]);
});

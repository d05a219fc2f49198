import { expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import type { RawQuery } from './search-query.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';

const offers = [
  offerOf('a', { title: 'BMW белый', attributes: { brand: ['bmw'], year: [2020] } }),
  offerOf('b', { title: 'BMW красный', attributes: { brand: ['bmw'], year: [2010] } }),
  offerOf('c', { title: 'Audi белый', attributes: { brand: ['audi'] } }),
  offerOf('d', { title: 'Газель белый', category: 'vans' as CategoryId }),
];
const explain = async (id: string, query: Partial<RawQuery>) => {
  const { api } = await searchInMemory(offers);
  return (await api.explainOffer(rawQuery(query), id))._unsafeUnwrap();
};

test('[S8] a found offer is told with its place, its page and the parts of its score', async () => {
  const found = await explain('c', { text: 'белый', sort: 'relevance', pageSize: 2 });
  expect(found).toMatchObject({
    found: true,
    total: 3,
    exclusions: [],
    score: { words: [{ word: 'белый', holds: true, documents: 3 }] },
  });
  expect(found.page).toBe(Math.ceil(found.rank! / 2));
  const { api } = await searchInMemory(offers);
  const { offers: hits } = (
    await api.searchOffers(rawQuery({ text: 'белый', pageSize: 100 }))
  )._unsafeUnwrap();
  expect(hits[found.rank! - 1]?.offerId).toBe('c');
  expect(hits[found.rank! - 1]?.score).toBeCloseTo(found.score!.total, 9);
});

test('[S8] an offer that is not found is told every word, filter and category that keeps it out', async () => {
  const found = await explain('c', {
    text: 'bmw белый',
    category: 'vans',
    filters: ['attr.brand:bmw', 'attr.year:2000..', 'price:..5000'],
  });
  expect(found).toMatchObject({ found: false, rank: undefined, page: undefined });
  expect(found.exclusions).toEqual([
    { kind: 'word', subject: 'bmw', reason: 'the offer does not have the word bmw; 2 offers have it' },
    { kind: 'category', subject: 'vans', reason: 'its category is cars, which is not below vans' },
    {
      kind: 'filter',
      subject: 'attr.brand:bmw',
      reason: 'the filter attr.brand:bmw excludes it: the offer has audi',
    },
    {
      kind: 'filter',
      subject: 'attr.year:2000..',
      reason: 'the filter attr.year:2000.. excludes it: the offer says nothing',
    },
  ]);
});

test('[S8] an offer that the index does not have is told so', async () => {
  expect(await explain('nothing', { text: 'bmw' })).toMatchObject({
    found: false,
    version: undefined,
    score: undefined,
    exclusions: [{ kind: 'index', reason: 'the index does not have the offer' }],
  });
});

test('[S8] a wrong query or id is refused with the name of the field', async () => {
  const { api } = await searchInMemory(offers);
  expect((await api.explainOffer(rawQuery({ sort: 'best' }), 'a'))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'sort' }],
  });
  expect((await api.explainOffer(rawQuery(), ''))._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'offer_id' }],
  });
});

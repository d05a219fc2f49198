import { expect, test } from 'vitest';
import type { OfferId } from '../../gost/index.ts';
import { jsonCodec } from '../../kernel/testing.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { offerOf, rawQuery, searchInMemory } from '../testing/search-in-memory.ts';
import { defaultEventSettings, HOUR_MS, SEARCH_EVENTS, type SearchEvents } from './search-event.ts';

const [a, b, c] = [1, 2, 3].map(sampleOffer) as [OfferId, OfferId, OfferId];
const codec = jsonCodec<SearchEvents>('search events');

const open = async (more: { readonly isOn?: boolean; readonly eventsMax?: number } = {}) => {
  const away = { isAway: false };
  const world = await searchInMemory([offerOf(a), offerOf(b)], {
    settings: { events: { ...defaultEventSettings, ...more } },
    eventsAway: () => away.isAway,
  });
  const search = async () => (await world.api.searchOffers(rawQuery()))._unsafeUnwrap();
  const events = () => world.published.map(({ value }) => codec.decode(value)._unsafeUnwrap());
  return { ...world, away, search, events };
};
const paths = (error: { readonly kind: string }) =>
  (error as { readonly violations?: readonly { path: string }[] }).violations?.map(({ path }) => path);
const impression = (offerId: string) => ({ offerId, kind: 'impression' as const });
const click = (offerId: string) => ({ offerId, kind: 'click' as const });

test('[S15] impressions and clicks of an answer go to the topic, each once, under a random id of the answer', async () => {
  const { api, search, events, published, time } = await open();
  const { queryId } = await search();
  await time.advance(5);
  const taken = await api.recordEvents({
    queryId,
    events: [impression(a), click(a), impression(a), impression(b)],
  });
  expect(taken._unsafeUnwrap()).toBe(3);
  expect(events()).toEqual([
    { queryId: 'query-1', shownAtMs: time.nowMs() - 5, events: [impression(a), click(a), impression(b)] },
  ]);
  expect(published).toMatchObject([{ topic: SEARCH_EVENTS, key: 'query-1' }]);
  expect((await search()).queryId).not.toBe(queryId);
});

test('[S15] an offer that the answer did not show is refused, and so is a kind that is unknown', async () => {
  const { api, search, published } = await open();
  const { queryId } = await search();
  const refused = await api.recordEvents({
    queryId,
    events: [impression(a), click(c), { offerId: b, kind: undefined }],
  });
  expect(paths(refused._unsafeUnwrapErr())).toEqual(['events[1].offer_id', 'events[2].kind']);
  expect(published).toEqual([]);
});

test('[S15] an id that is none, and a page token in its place, are refused', async () => {
  const { api } = await open();
  const { nextPageToken } = (await api.searchOffers(rawQuery({ pageSize: 1 })))._unsafeUnwrap();
  expect(nextPageToken).not.toBe('');
  for (const queryId of ['', 'nonsense', nextPageToken]) {
    const refused = await api.recordEvents({ queryId, events: [click(a)] });
    expect(paths(refused._unsafeUnwrapErr())).toEqual(['query_id']);
  }
});

test('[S15] a query id is no page token', async () => {
  const { api, search } = await open();
  const { queryId } = await search();
  const refused = await api.searchOffers(rawQuery({ pageToken: queryId }));
  expect(paths(refused._unsafeUnwrapErr())).toEqual(['page_token']);
});

test('[S15] events of an answer are taken for a day and not a millisecond longer', async () => {
  const { api, search, time } = await open();
  const { queryId } = await search();
  await time.advance(24 * HOUR_MS);
  expect((await api.recordEvents({ queryId, events: [click(a)] }))._unsafeUnwrap()).toBe(1);
  await time.advance(1);
  const refused = await api.recordEvents({ queryId, events: [click(a)] });
  expect(paths(refused._unsafeUnwrapErr())).toEqual(['query_id']);
});

test('[S15] a call has at least one event and at most as many as are configured', async () => {
  const { api, search } = await open({ eventsMax: 2 });
  const { queryId } = await search();
  const some = (count: number) => Array.from({ length: count }, () => impression(a));
  expect((await api.recordEvents({ queryId, events: some(2) }))._unsafeUnwrap()).toBe(1);
  for (const count of [0, 3])
    expect(paths((await api.recordEvents({ queryId, events: some(count) }))._unsafeUnwrapErr())).toEqual([
      'events',
    ]);
});

test('[S15] an answer without offers has no query id, and without events no answer has one', async () => {
  const { api } = await open();
  const nothing = await api.searchOffers(rawQuery({ text: 'nothing', spelling: 'off' }));
  expect(nothing._unsafeUnwrap()).toMatchObject({ total: 0, queryId: '' });
  const off = await open({ isOn: false });
  expect((await off.search()).queryId).toBe('');
  const { queryId } = (await api.searchOffers(rawQuery()))._unsafeUnwrap();
  const refused = await off.api.recordEvents({ queryId, events: [click(a)] });
  expect(paths(refused._unsafeUnwrapErr())).toEqual(['query_id']);
});

test('[S15] while the topic can not be written the caller hears of it and may ask again', async () => {
  const { api, search, away, events } = await open();
  const { queryId } = await search();
  away.isAway = true;
  expect((await api.recordEvents({ queryId, events: [click(a)] }))._unsafeUnwrapErr().kind).toBe(
    'Unavailable',
  );
  away.isAway = false;
  expect((await api.recordEvents({ queryId, events: [click(a)] })).isOk()).toBe(true);
  expect(events()).toHaveLength(1);
});

import type { OfferId } from '@doska/core/gost';
import type { SearchEvents } from '@doska/core/search';
import { offerIdFrom } from '@doska/core/gost';
import { expect, test } from 'vitest';
import { messageBytes } from '../message.codec.ts';
import {
  SearchEventKind as PbKind,
  SearchEvents as PbEvents,
} from '../generated/doska/search/v1/search_events.ts';
import { searchEventsCodec } from './search-events.codec.ts';

const offerId: OfferId = offerIdFrom(Array.from({ length: 12 }, (_, n) => n));
const events: SearchEvents = {
  queryId: 'q-1',
  shownAtMs: 1_800_000_000_123,
  events: [
    { offerId, kind: 'impression' },
    { offerId, kind: 'click' },
  ],
};

test('[S15] events are read back as they were written', () => {
  expect(searchEventsCodec.decode(searchEventsCodec.encode(events))._unsafeUnwrap()).toEqual(events);
});
test.each([
  ['events[1].kind', { offerId: offerId, kind: 9 as PbKind }],
  ['events[1].offer_id', { offerId: 'nonsense', kind: PbKind.SEARCH_EVENT_KIND_CLICK }],
])('[S15] an unknown %s is named', (field, wrong) => {
  const good = { offerId, kind: PbKind.SEARCH_EVENT_KIND_CLICK };
  const bytes = messageBytes(PbEvents, { queryId: 'q', shownAtMs: 1n, events: [good, wrong] });
  const framed = Buffer.concat([searchEventsCodec.encode(events).subarray(0, 1), bytes]);
  expect(searchEventsCodec.decode(framed)._unsafeUnwrapErr()).toMatchObject({ field });
});

import type { Codec, Malformed } from '@doska/core/kernel';
import { EVENT_KINDS, type EventKind, type SearchEvent, type SearchEvents } from '@doska/core/search';
import { err, ok, Result } from 'neverthrow';
import { parseOfferId } from '@doska/core/gost';
import {
  SearchEventKind as PbKind,
  SearchEvents as PbEvents,
  type SearchEvent as PbEvent,
} from '../generated/doska/search/v1/search_events.ts';
import { messageCodec } from '../message.codec.ts';

const KINDS: Record<EventKind, PbKind> = {
  impression: PbKind.SEARCH_EVENT_KIND_IMPRESSION,
  click: PbKind.SEARCH_EVENT_KIND_CLICK,
};
/** Undefined: a kind of a newer client, or none. */
export const eventKindFromPb = (pb: PbKind): EventKind | undefined =>
  EVENT_KINDS.find((kind) => KINDS[kind] === pb);

const malformed = (field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what: 'search events', field });
const eventFromPb = ({ offerId, kind }: PbEvent, at: number): Result<SearchEvent, Malformed> => {
  const known = eventKindFromPb(kind);
  const id = parseOfferId(offerId);
  if (!known) return malformed(`events[${at}].kind`);
  return id.isErr() ? malformed(`events[${at}].offer_id`) : ok({ offerId: id.value, kind: known });
};

/** The values of the topic `search-events`. */
export const searchEventsCodec: Codec<SearchEvents> = messageCodec(
  'search events',
  PbEvents,
  ({ queryId, shownAtMs, events }) => ({
    queryId,
    shownAtMs: BigInt(shownAtMs),
    events: events.map(({ offerId, kind }) => ({ offerId, kind: KINDS[kind] })),
  }),
  ({ queryId, shownAtMs, events }) =>
    Result.combine(events.map(eventFromPb)).map((read) => ({
      queryId,
      shownAtMs: Number(shownAtMs),
      events: read,
    })),
);

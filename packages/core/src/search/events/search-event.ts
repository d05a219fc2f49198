import type { OfferId } from '../../gost/index.ts';

export const SEARCH_EVENTS = 'search-events';
/** `impression`: the offer was seen. `click`: it was opened. */
export const EVENT_KINDS = ['impression', 'click'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export type SearchEvent = { readonly offerId: OfferId; readonly kind: EventKind };
/** Events of one answer, as the topic has them. `shownAtMs`: when the answer was made. No buyer can be told from them. */
export type SearchEvents = {
  readonly queryId: string;
  readonly shownAtMs: number;
  readonly events: readonly SearchEvent[];
};

export type EventSettings = {
  /** False: answers have no query id, and no event is taken. */
  readonly isOn: boolean;
  /** Events of one call at most. */
  readonly eventsMax: number;
  /** Events of an older answer are refused. */
  readonly answerMs: number;
  /** For so long it is remembered what an answer showed. Events that come later are not counted. */
  readonly rememberedMs: number;
  /** Events of an hour are waited for so long after its end. */
  readonly lateMs: number;
  /** How often new rates are made. */
  readonly ratesEveryMs: number;
  /** Rates are of the impressions of so many last hours. */
  readonly windowHours: number;
  /** An offer begins with so many impressions at this rate. Few events then say little. */
  readonly prior: { readonly rate: number; readonly impressions: number };
  readonly upkeepEveryMs: number;
};
export const HOUR_MS = 3_600_000;
export const defaultEventSettings: EventSettings = {
  isOn: true,
  eventsMax: 200,
  answerMs: 24 * HOUR_MS,
  rememberedMs: 48 * HOUR_MS,
  lateMs: 600_000,
  ratesEveryMs: 6 * HOUR_MS,
  windowHours: 7 * 24,
  prior: { rate: 0.03, impressions: 50 },
  upkeepEveryMs: 600_000,
};

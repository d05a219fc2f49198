import type { OfferId } from '../../gost/index.ts';
import type { Clock, Codec, Metrics, RecordHandler } from '../../kernel/index.ts';
import type { ClickCountStore, ShownOffer } from './click-counts.port.ts';
import type { SearchEvents } from './search-event.ts';

export type ConsumeEventsNeeds = {
  readonly codec: Codec<SearchEvents>;
  readonly counts: ClickCountStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** For so long the store remembers what was counted. */
  readonly rememberedMs: number;
  readonly retryMs: number;
};

/** Each offer of the answer once; clicked if one of its events is a click. */
const shownIn = ({ queryId, shownAtMs, events }: SearchEvents): readonly ShownOffer[] => {
  const clicked = new Map<OfferId, boolean>();
  for (const { offerId, kind } of events)
    clicked.set(offerId, kind === 'click' || (clicked.get(offerId) ?? false));
  return [...clicked].map(([offerId, isClicked]) => ({ queryId, shownAtMs, offerId, isClicked }));
};

/** Counts impressions and clicks of the topic. */
export const makeConsumeEvents = (needs: ConsumeEventsNeeds): RecordHandler => {
  const { codec, counts, clock, rememberedMs, retryMs } = needs;
  const late = needs.metrics.counter({
    name: 'doska_search_events_late_total',
    help: 'Impressions and clicks that came too late to be counted once.',
    labels: [],
  });
  return async ({ value }) => {
    const decoded = codec.decode(value);
    if (decoded.isErr()) return { kind: 'poison', reason: `Malformed: ${decoded.error.what}` };
    // It may have been counted and forgotten since.
    if (decoded.value.shownAtMs <= clock.nowMs() - rememberedMs) {
      late.add(decoded.value.events.length, {});
      return { kind: 'done' };
    }
    const counted = await counts.count(shownIn(decoded.value));
    return counted.isOk()
      ? { kind: 'done' }
      : { kind: 'retry', afterMs: retryMs, reason: counted.error.what };
  };
};

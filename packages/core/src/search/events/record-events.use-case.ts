import { err, ok, type Result } from 'neverthrow';
import type { OfferId } from '../../gost/index.ts';
import {
  invalidInput,
  unavailable,
  type Codec,
  type InvalidInput,
  type LogPublisher,
  type Metrics,
  type Unavailable,
  type Violation,
} from '../../kernel/index.ts';
import type { QueryIds } from './query-ids.ts';
import { SEARCH_EVENTS, type EventKind, type SearchEvent, type SearchEvents } from './search-event.ts';

/** Events as a client sends them. `kind` is undefined if it is none of ours. */
export type RawEvents = {
  readonly queryId: string;
  readonly events: readonly { readonly offerId: string; readonly kind: EventKind | undefined }[];
};
export type RecordEventsError = InvalidInput | Unavailable;
/** Returns how many events were taken, each once. */
export type RecordEvents = (raw: RawEvents) => Promise<Result<number, RecordEventsError>>;
export type RecordEventsNeeds = {
  readonly queryIds: QueryIds;
  readonly log: LogPublisher;
  readonly codec: Codec<SearchEvents>;
  readonly metrics: Metrics;
  readonly isOn: boolean;
  readonly eventsMax: number;
};

/** Takes impressions and clicks of offers that an answer showed. Nothing of the caller is kept. */
export const makeRecordEvents = (needs: RecordEventsNeeds): RecordEvents => {
  const { queryIds, log, codec, isOn, eventsMax } = needs;
  const taken = needs.metrics.counter({
    name: 'doska_search_events_total',
    help: 'Impressions and clicks that were taken from clients.',
    labels: ['kind'],
  });
  return async ({ queryId, events }) => {
    if (!isOn)
      return err(
        invalidInput({ path: 'query_id', code: 'Off', message: 'this platform takes no search events' }),
      );
    const violations: Violation[] = [];
    const refuse = (path: string, code: string, message: string): void =>
      void violations.push({ path, code, message });
    const query = queryIds.open(queryId);
    if (query.isErr()) refuse('query_id', 'Malformed', query.error);
    if (events.length < 1 || events.length > eventsMax) refuse('events', 'Count', `1 to ${eventsMax} events`);
    const distinct = new Map<string, SearchEvent>();
    for (const [at, { offerId, kind }] of events.slice(0, eventsMax).entries()) {
      if (!kind) refuse(`events[${at}].kind`, 'Unknown', 'an impression or a click');
      if (query.isOk() && !query.value.offers.has(offerId))
        refuse(`events[${at}].offer_id`, 'Unknown', 'the answer did not show this offer');
      if (kind) distinct.set(`${kind}/${offerId}`, { offerId: offerId as OfferId, kind });
    }
    if (query.isErr() || violations.length > 0) return err(invalidInput(...violations));
    const { id, shownAtMs } = query.value;
    const all = [...distinct.values()];
    const value = codec.encode({ queryId: id, shownAtMs, events: all });
    const published = await log.publish([{ topic: SEARCH_EVENTS, key: id, value }]);
    if (published.isErr()) {
      const { error } = published;
      return err(error.kind === 'Unavailable' ? error : unavailable('search events', error));
    }
    for (const { kind } of all) taken.add(1, { kind });
    return ok(all.length);
  };
};

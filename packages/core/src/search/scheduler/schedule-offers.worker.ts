import { err, ok, type Result } from 'neverthrow';
import { parseOfferId, type OfferId, type OfferView } from '../../gost/index.ts';
import {
  delayMs,
  limitRepeats,
  sleep,
  type Backoff,
  type BatchHandler,
  type BatchOutcome,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type LogPublisher,
  type LogRecord,
  type Position,
  type PublishError,
  type Random,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import { documentBytes, LIVE_TOPIC, type QualifiedBatch, type RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import { parkTooLarge, type ParkedOffers } from '../parking/parked-offers.use-case.ts';
import type { ComposeBatch, ComposeDocuments, CompositionFailed } from './compose-documents.use-case.ts';
import { OFFERS_CLIENT } from './offers-client.ts';
import {
  converted,
  failed,
  newPartition,
  nextAction,
  tooLarge,
  wrote,
  type BatchLimits,
} from './partition-machine.ts';
import { makeWrittenDelay } from './written-delay.ts';

export type ScheduleSettings = {
  readonly batch: BatchLimits;
  readonly retry: Backoff;
  readonly parking: { readonly afterMs: number | undefined };
};
export type ScheduleNeeds = {
  readonly compose: ComposeDocuments;
  readonly offers: OfferSource;
  readonly parking: ParkedOffers;
  readonly views: Codec<OfferView>;
  readonly batches: Codec<QualifiedBatch>;
  readonly log: LogPublisher;
  /** Partitions of the topic of live documents. */
  readonly partitions: number;
  /** Records whose key is no offer. */
  readonly deadLetter: (record: Delivered, reason: string) => Promise<Result<void, Unavailable>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: ScheduleSettings;
};
export type { DeadLetter };

type Failed = CompositionFailed | Unavailable;
type Composed = Result<readonly RawDocument[], Failed>;
/** The version that a record tells of, 0 if it can't be read. */
type Recorded = { readonly composed: Composed; readonly versionUs: number };
const reasonOf = (error: CompositionFailed | Unavailable): string =>
  error.kind === 'CompositionFailed' ? error.reason : error.what;

/**
 * Turns offer updates into documents, in the order of each partition. The position moves only behind documents that are
 * written. An offer that can't be converted stops its partition; what was converted before it goes out.
 */
export const makeScheduleOffers = (needs: ScheduleNeeds): BatchHandler => {
  const { compose, offers, parking, views, batches, log, partitions, clock, random, settings } = needs;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const failures = needs.telemetry.metrics.counter({
    name: 'doska_search_conversions_failed_total',
    help: 'Offers that could not be converted, by what was tried.',
    labels: ['step'],
  });
  const observeWritten = makeWrittenDelay({ metrics: needs.telemetry.metrics, clock });
  const lastWriteMs = new Map<number, number>();
  const attempts = new Map<number, number>();

  /** The present offer instead of the update: the update can't be read or can't be converted. */
  const composeCurrent = async (batch: ComposeBatch, id: OfferId, atLeastUs: number): Promise<Composed> => {
    const found = await offers.find([id]);
    if (found.isErr()) return err(found.error);
    const view = found.value.get(id);
    if (!view) return batch.ofMissing(id, atLeastUs);
    // An answer that is older than the update would bring back an old state.
    if (view.updatedAtUs < atLeastUs)
      return err({
        kind: 'CompositionFailed',
        reason: 'the offer store answers with an older version',
        lasting: false,
      });
    return batch.ofView(view);
  };
  const composeRecord = async (
    batch: ComposeBatch,
    { value, timestampMs }: Delivered,
    id: OfferId,
  ): Promise<Recorded> => {
    const view = views.decode(value);
    if (view.isErr()) {
      failures.add(1, { step: 'decode' });
      // The offer may be older than its record in the log, so any version of it will do.
      const current = await composeCurrent(batch, id, 0);
      const isFound = current.isErr() || current.value.some(({ version }) => version > 0);
      const composed = isFound ? current : await batch.ofMissing(id, timestampMs * 1_000);
      return { composed, versionUs: 0 };
    }
    const versionUs = view.value.updatedAtUs;
    const composed = await batch.ofView(view.value);
    if (composed.isOk()) return { composed, versionUs };
    failures.add(1, { step: 'update' });
    const again = await composeCurrent(batch, id, versionUs);
    if (again.isErr()) failures.add(1, { step: 'offer store' });
    return { composed: again, versionUs };
  };
  /** Since when a record blocks its partition. */
  const blockedSince = new Map<number, { readonly offset: number; readonly sinceMs: number }>();
  const sinceMsOf = ({ partition, offset }: Position): number => {
    const known = blockedSince.get(partition);
    if (known?.offset === offset) return known.sinceMs;
    const sinceMs = clock.nowMs();
    blockedSince.set(partition, { offset, sinceMs });
    return sinceMs;
  };
  /** Puts a failing offer into the lot if it is there already, or if it has blocked for long enough. True: it may be passed over. */
  const putAside = async (
    offerId: OfferId,
    { position }: Delivered,
    versionUs: number,
    error: Failed,
  ): Promise<boolean> => {
    const blockedMs = clock.nowMs() - sinceMsOf(position);
    const known = await parking.find([offerId]);
    if (known.isErr()) return false;
    const [parked] = known.value;
    const { afterMs } = settings.parking;
    const isLasting = error.kind === 'CompositionFailed' && error.lasting;
    if (!parked && !(isLasting && afterMs !== undefined && blockedMs >= afterMs)) return false;
    const cause = parked?.cause ?? 'conversion';
    // The event may have mended the offer: it is retried at once.
    const stored = await parking.park([{ offerId, cause, reason: reasonOf(error), versionUs }], 'now');
    return stored.isOk();
  };

  const recordOf = (documents: readonly RawDocument[], source: number): LogRecord => ({
    topic: LIVE_TOPIC,
    key: String(source),
    partition: source % partitions,
    value: batches.encode({ client: OFFERS_CLIENT, documents }),
  });
  const publish = async (
    documents: readonly RawDocument[],
    source: number,
    isOneOffer: boolean,
  ): Promise<Result<void, PublishError>> => {
    if (documents.length === 0) return ok(undefined);
    const written = await log.publish([recordOf(documents, source)]);
    if (written.isOk() || written.error.kind !== 'RecordsTooLarge') return written;
    // The documents of one offer are for different epochs. Alone each may fit.
    const isDivisible = isOneOffer && documents.length > 1;
    return isDivisible ? log.publish(documents.map((one) => recordOf([one], source))) : written;
  };
  const block = (partition: number, handled: number, reason: string): BatchOutcome => {
    const attempt = (attempts.get(partition) ?? 0) + 1;
    attempts.set(partition, attempt);
    return {
      kind: 'blocked',
      handled,
      reason,
      retryAtMs: clock.nowMs() + delayMs(settings.retry, attempt, random),
    };
  };

  return async ({ partition, records }, signal) => {
    const ids = records.flatMap(({ key }) =>
      parseOfferId(key).match(
        (id) => [id],
        () => [],
      ),
    );
    const batch = compose.batch([...new Set(ids)]);
    /** What each record became, for one that turns out too large. */
    const composedOf = new Map<number, readonly RawDocument[]>();
    let state = newPartition(records.length, lastWriteMs.get(partition) ?? 0);
    while (!signal.aborted) {
      const action = nextAction(state, clock.nowMs(), settings.batch);
      switch (action.kind) {
        case 'convert': {
          const record = records[action.at]!;
          const id = parseOfferId(record.key);
          if (id.isErr()) {
            const dead = await needs.deadLetter(record, 'the key is no offer id');
            state = dead.isOk()
              ? converted(state, action.at, { documents: [], bytes: 0 })
              : failed(state, action.at, dead.error.what);
            break;
          }
          const { composed, versionUs } = await composeRecord(batch, record, id.value);
          if (composed.isErr()) {
            if (await putAside(id.value, record, versionUs, composed.error)) {
              state = converted(state, action.at, { documents: [], bytes: 0 });
              break;
            }
            const reason = `offer ${id.value}: ${reasonOf(composed.error)}`;
            logger.warn('an offer can not be converted', { partition, offer: id.value, reason });
            state = failed(state, action.at, reason);
          } else {
            const bytes = composed.value.reduce((sum, one) => sum + documentBytes(one), 0);
            composedOf.set(action.at, composed.value);
            state = converted(state, action.at, { documents: composed.value, bytes });
          }
          break;
        }
        case 'write': {
          const written = await publish(action.documents, partition, action.upTo === state.written + 1);
          if (written.isErr()) {
            const { error } = written;
            if (error.kind === 'RecordsTooLarge') {
              state = tooLarge(state, action.upTo);
              break;
            }
            const what = 'what' in error ? error.what : error.kind;
            return block(partition, state.written, `documents can not be published: ${what}`);
          }
          attempts.delete(partition);
          observeWritten(action.documents);
          state = wrote(state, action.upTo, clock.nowMs());
          lastWriteMs.set(partition, state.lastWriteMs);
          break;
        }
        case 'park': {
          const { key } = records[action.at]!;
          const documents = composedOf.get(action.at) ?? [];
          const parked = await parkTooLarge(parking, documents);
          if (parked.isErr())
            return block(partition, state.written, `offer ${key} can not be parked: ${parked.error.what}`);
          state = converted(state, action.at, { documents: [], bytes: 0 });
          break;
        }
        case 'wait':
          await sleep(clock, action.untilMs - clock.nowMs(), signal);
          break;
        case 'block':
          return block(partition, action.handled, action.reason);
        case 'done':
          attempts.delete(partition);
          return { kind: 'done' };
      }
    }
    return { kind: 'again', handled: state.written };
  };
};

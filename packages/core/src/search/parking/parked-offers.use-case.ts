import { err, ok, type Result } from 'neverthrow';
import type { OfferId, OfferView } from '../../gost/index.ts';
import {
  delayMs,
  type Backoff,
  type Clock,
  type Logger,
  type Metrics,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import type { ComposeBatch, ComposeDocuments } from '../scheduler/compose-documents.use-case.ts';
import type { ParkCause, ParkedOffer, Parking, ParkingLot } from './parking-lot.port.ts';
import type { PublishBulk } from './publish-bulk.use-case.ts';

export type ParkingSettings = {
  /** An offer that blocks its partition for so long is parked. Undefined: never, the partition waits. */
  readonly afterMs: number | undefined;
  /** Between retries of a parked offer. */
  readonly retry: Backoff;
  /** A document that was refused before counts as accepted if no refusal comes within this time. */
  readonly settleMs: number;
  readonly everyMs: number;
};
/** The offer is not parked. */
export type NotParked = { readonly kind: 'NotParked'; readonly offerId: OfferId };
export type Retried = { readonly left: number; readonly stayed: number };
/** What is done with offers apart from their partitions. */
export type ParkedOffers = {
  /** Stores an offer before its record is passed over. */
  readonly park: (
    offers: readonly Omit<Parking, 'atMs' | 'retryAtMs'>[],
    retry: 'now' | 'later',
  ) => Promise<Result<void, Unavailable>>;
  readonly find: (ids: readonly OfferId[]) => ReturnType<ParkingLot['find']>;
  readonly list: (after: string, limit: number) => ReturnType<ParkingLot['list']>;
  /** Retries one offer now. `undefined`: it has left the lot. */
  readonly unpark: (id: OfferId) => Promise<Result<ParkedOffer | undefined, NotParked | Unavailable>>;
  /** Retries what is due. */
  readonly retryDue: (signal: AbortSignal) => Promise<Result<Retried, Unavailable>>;
};
export type ParkedOffersNeeds = {
  readonly lot: ParkingLot;
  readonly offers: OfferSource;
  readonly compose: ComposeDocuments;
  readonly publish: PublishBulk;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: ParkingSettings;
};

/** Offers that the offer store is asked for at once. */
const FIND_MAX = 100;
const REASON_CHARS_MAX = 1_000;
const cut = (reason: string): string => reason.replaceAll('\0', ' ').slice(0, REASON_CHARS_MAX);
const TOO_LARGE = 'its document is larger than a record of the topic may be';

export const makeParkedOffers = (needs: ParkedOffersNeeds): ParkedOffers => {
  const { lot, offers, compose, publish, clock, random, logger, metrics, settings } = needs;
  const parkedTotal = metrics.counter({
    name: 'doska_search_parked_total',
    help: 'Offers that were parked, by cause.',
    labels: ['cause'],
  });
  let parkedNow = 0;
  const gauge = metrics.gauge({
    name: 'doska_search_parked',
    help: 'Parked offers, as the process that retries them saw it last.',
    labels: [],
  });
  gauge.set(() => parkedNow, {});

  const park: ParkedOffers['park'] = async (some, retry) => {
    if (some.length === 0) return ok(undefined);
    const known = await lot.find(some.map(({ offerId }) => offerId));
    if (known.isErr()) return err(known.error);
    const attempts = new Map(known.value.map((one) => [one.offerId, one.attempts]));
    const atMs = clock.nowMs();
    const parked = await lot.park(
      some.map((one) => {
        const failed = attempts.get(one.offerId) ?? 0;
        const laterMs = retry === 'now' ? 0 : delayMs(settings.retry, failed + 1, random);
        return { ...one, reason: cut(one.reason), atMs, retryAtMs: atMs + laterMs };
      }),
    );
    if (parked.isErr()) return err(parked.error);
    for (const { offerId, cause, reason } of some) {
      if (attempts.has(offerId)) continue;
      parkedTotal.add(1, { cause });
      logger.warn('an offer is parked', { offer: offerId, cause, reason });
    }
    return ok(undefined);
  };

  const documentsOf = async (
    batch: ComposeBatch,
    { offerId, versionUs, sinceMs }: ParkedOffer,
    view: OfferView | undefined,
  ): Promise<Result<readonly RawDocument[], { readonly reason: string } | Unavailable>> => {
    // An offer that does not exist is deleted, with a version that is newer than all it ever had.
    if (!view) return batch.ofMissing(offerId, versionUs > 0 ? versionUs : sinceMs * 1_000);
    if (view.updatedAtUs < versionUs) return err({ reason: 'the offer store answers with an older version' });
    return batch.ofView(view);
  };
  /** What became of each: undefined, or why it stays. */
  const retry = async (
    some: readonly ParkedOffer[],
  ): Promise<Result<ReadonlyMap<OfferId, string | undefined>, Unavailable>> => {
    const ids = some.map(({ offerId }) => offerId);
    const found = await offers.find(ids);
    if (found.isErr()) return err(found.error);
    const batch = compose.batch(ids);
    const outcomes = new Map<OfferId, string | undefined>();
    const documents: RawDocument[] = [];
    for (const parked of some) {
      const composed = await documentsOf(batch, parked, found.value.get(parked.offerId));
      if (composed.isOk()) documents.push(...composed.value);
      else if ('kind' in composed.error && composed.error.kind === 'Unavailable') return err(composed.error);
      outcomes.set(
        parked.offerId,
        composed.isErr() ? (composed.error as { readonly reason: string }).reason : undefined,
      );
    }
    const written = await publish(documents);
    if (written.isErr()) return err(written.error);
    for (const { pk } of written.value) outcomes.set(pk as OfferId, TOO_LARGE);
    return ok(outcomes);
  };
  const settle = async (
    parked: ParkedOffer,
    reason: string | undefined,
  ): Promise<Result<'left' | 'stayed', Unavailable>> => {
    const { offerId, revision, cause, attempts } = parked;
    const nowMs = clock.nowMs();
    if (reason !== undefined) {
      const retryAtMs = nowMs + delayMs(settings.retry, attempts + 1, random);
      const change = { reason: cut(reason), attempts: attempts + 1, retryAtMs, sent: false };
      return (await lot.settle(offerId, revision, change)).map(() => 'stayed');
    }
    // The receiver refused it before, and may do so again.
    if (cause === 'rejected' && !parked.sent) {
      const change = {
        reason: parked.reason,
        attempts: attempts + 1,
        retryAtMs: nowMs + settings.settleMs,
        sent: true,
      };
      return (await lot.settle(offerId, revision, change)).map(() => 'stayed');
    }
    // An event may have refreshed it meanwhile: then it stays, and is retried for that event.
    return (await lot.settle(offerId, revision, undefined)).map((done) => (done ? 'left' : 'stayed'));
  };

  return {
    park,
    find: (ids) => lot.find(ids),
    list: (after, limit) => lot.list(after, limit),
    unpark: async (id) => {
      const found = await lot.find([id]);
      if (found.isErr()) return err(found.error);
      const [parked] = found.value;
      if (!parked) return err({ kind: 'NotParked', offerId: id });
      const retried = await retry([parked]);
      if (retried.isErr()) return err(retried.error);
      const settled = await settle(parked, retried.value.get(id));
      if (settled.isErr()) return err(settled.error);
      if (settled.value === 'left') return ok(undefined);
      return (await lot.find([id])).map(([now]) => now);
    },
    retryDue: async (signal) => {
      let left = 0;
      let stayed = 0;
      const untilMs = clock.nowMs();
      while (!signal.aborted) {
        const due = await lot.due(untilMs, FIND_MAX);
        if (due.isErr()) return err(due.error);
        if (due.value.length === 0) break;
        // Those that were written and not refused since need nothing more.
        const waiting = due.value.filter(({ sent }) => !sent);
        const retried =
          waiting.length > 0 ? await retry(waiting) : ok(new Map<OfferId, string | undefined>());
        if (retried.isErr()) return err(retried.error);
        for (const parked of due.value) {
          const settled = await settle(parked, retried.value.get(parked.offerId));
          if (settled.isErr()) return err(settled.error);
          if (settled.value === 'left') left++;
          else stayed++;
        }
      }
      const count = await lot.count();
      if (count.isErr()) return err(count.error);
      parkedNow = count.value;
      return ok({ left, stayed });
    },
  };
};

/** Parks the offers of documents that are too large, so that the others go on. */
export const parkTooLarge = (
  parking: ParkedOffers,
  documents: readonly RawDocument[],
): Promise<Result<void, Unavailable>> => {
  const offers = new Map(documents.map(({ pk, version }) => [pk as OfferId, version]));
  const cause: ParkCause = 'tooLarge';
  return parking.park(
    [...offers].map(([offerId, versionUs]) => ({ offerId, cause, reason: TOO_LARGE, versionUs })),
    'later',
  );
};
/** Writes documents apart from live ones; the offers of those that are too large are parked. */
export const makePublishOrPark =
  (publish: PublishBulk, parking: ParkedOffers) =>
  async (documents: readonly RawDocument[]): Promise<Result<void, Unavailable>> => {
    if (documents.length === 0) return ok(undefined);
    const written = await publish(documents);
    return written.isErr() ? err(written.error) : parkTooLarge(parking, written.value);
  };

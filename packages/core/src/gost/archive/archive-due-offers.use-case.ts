import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  deleteCondemned,
  mapBounded,
  type BlobStore,
  type Clock,
  type Codec,
  type Ids,
  type Random,
  type Unavailable,
} from '../../kernel/index.ts';
import { archivedOf, archiveMoveOf, type ArchivedOffer } from './archiving.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { timerOf, type TimerKey } from '../expiry/timer.ts';
import { SEGMENT_ENTRIES_MAX, SEGMENT_OFFERS_MAX, type OfferArchive } from './offer-archive.port.ts';
import { ROWS_MAX, type OfferStore } from '../commit/offer-store.port.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import type { Timers } from '../expiry/timers.port.ts';
import { ARCHIVE_AREA, putSegment } from './segments.store.ts';
import { nowUsOf, type GostSettings } from '../settings.ts';

export type ArchiveDueOffersNeeds = {
  readonly timers: Timers;
  readonly offers: Pick<ProcessOffers, 'load' | 'history'>;
  readonly archive: OfferArchive;
  readonly blobs: Pick<BlobStore, 'put' | 'delete'>;
  readonly codec: Codec<ArchivedOffer>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly settings: Pick<GostSettings, 'archive' | 'shards' | 'stripes'>;
};
/**
 * `found` at the limit and some `archived`: there may be more. What is found and not archived was changed meanwhile, did
 * not fit the segment, or could not be written so that it can be read again. `oldestAtUs`: since when the oldest is due.
 */
export type ArchivedDue = {
  readonly found: number;
  readonly archived: number;
  readonly oldestAtUs: number | undefined;
};
export type ArchiveDueOffers = (shard: number) => ResultAsync<ArchivedDue, Unavailable>;

const LOADED_AT_ONCE = 50;
const HISTORIES_AT_ONCE = 4;
/** How often a segment is made anew without those that have changed. */
const ATTEMPTS = 3;
type Packed = { readonly offer: Offer; readonly bytes: Uint8Array };

/** The whole history, or undefined if it is not that of this version: then the offer has changed since. */
const historyOf = (
  offers: Pick<OfferStore, 'history'>,
  { id, version }: Offer,
): ResultAsync<readonly HistoryEntry[] | undefined, Unavailable> => {
  const read = async (): Promise<Result<readonly HistoryEntry[] | undefined, Unavailable>> => {
    const entries: HistoryEntry[] = [];
    for (;;) {
      const before = entries.at(-1)?.version;
      const page = await offers.history(id, { limit: ROWS_MAX, ...(before === undefined ? {} : { before }) });
      if (page.isErr()) return err(page.error);
      entries.push(...page.value);
      if (page.value.length < ROWS_MAX)
        return ok(entries.length === version && entries[0]?.version === version ? entries : undefined);
    }
  };
  return new ResultAsync(read());
};

/**
 * Moves offers of a shard that have been retired long enough to the archive: first it writes their bytes as one segment, then
 * one commit moves the offers, if none has changed since it was read. A crash in between leaves an unused segment. An offer
 * is always in exactly one of the two places.
 */
export const makeArchiveDueOffers = (needs: ArchiveDueOffersNeeds): ArchiveDueOffers => {
  const { timers, offers, archive, blobs, codec, clock, ids, random, settings } = needs;
  const { afterUs, batch, segmentBytes } = settings.archive;

  const packed = (offer: Offer): ResultAsync<Packed | undefined, Unavailable> =>
    historyOf(offers, offer).map((history) => {
      if (!history) return undefined;
      const bytes = codec.encode(archivedOf(offer, history));
      // What would not be read again stays where it is.
      const readable = codec
        .decode(bytes)
        .map((again) => again.offer.id === offer.id && again.history.length === history.length);
      return readable.unwrapOr(false) ? { offer, bytes } : undefined;
    });
  /** Until a segment is full: what is in memory is bounded, however large the offers are. */
  const pack = async (due: readonly TimerKey[]): Promise<Result<readonly Packed[], Unavailable>> => {
    const full: Packed[] = [];
    let bytes = 0;
    let entries = 0;
    for (let from = 0; from < due.length; from += LOADED_AT_ONCE) {
      const keys = new Map<OfferId, TimerKey>(
        due.slice(from, from + LOADED_AT_ONCE).map((key) => [key.offerId, key]),
      );
      const loaded = await offers.load([...keys.keys()]);
      if (loaded.isErr()) return err(loaded.error);
      const standing = loaded.value.filter((offer) => {
        const timer = timerOf(offer, settings.shards);
        return timer?.what === 'archive' && timer.atUs === keys.get(offer.id)?.atUs;
      });
      const some = await mapBounded(standing, HISTORIES_AT_ONCE, packed);
      if (some.isErr()) return err(some.error);
      for (const one of some.value) {
        if (!one) continue;
        bytes += one.bytes.length;
        entries += one.offer.version;
        if (full.length > 0 && (bytes > segmentBytes || entries > SEGMENT_ENTRIES_MAX)) return ok(full);
        full.push(one);
      }
    }
    return ok(full);
  };
  /** Answers those that have changed meanwhile: then none has moved. */
  const moveAll = async (full: readonly Packed[]): Promise<Result<ReadonlySet<OfferId>, Unavailable>> => {
    const put = await putSegment(
      blobs,
      ids,
      full.map(({ bytes }) => bytes),
    );
    if (put.isErr()) return err(put.error);
    const { segment, slices } = put.value;
    const archivedAtUs = nowUsOf(clock);
    const moves = full.map(({ offer }, i) => {
      const stripe = random.below(settings.stripes);
      const place = { segment, ...slices[i]!, archivedAtUs };
      return archiveMoveOf(offer, place, { shards: settings.shards, stripe });
    });
    const outcome = await archive.move(moves);
    if (outcome.isOk() && outcome.value.length === 0) return ok(new Set());
    // The unused segment holds texts: delete it now. If that fails too, the sweep finds it.
    await archive.condemn(segment).andThen(() => deleteCondemned(archive, blobs, ARCHIVE_AREA));
    return outcome.map((refused) => new Set(refused));
  };
  const persist = async (full: readonly Packed[]): Promise<Result<number, Unavailable>> => {
    let left = full;
    for (let attempt = 1; attempt <= ATTEMPTS && left.length > 0; attempt++) {
      const refused = await moveAll(left);
      if (refused.isErr()) return err(refused.error);
      if (refused.value.size === 0) return ok(left.length);
      left = left.filter(({ offer }) => !refused.value.has(offer.id));
    }
    return ok(0);
  };

  const run = async (shard: number): Promise<Result<ArchivedDue, Unavailable>> => {
    if (afterUs === undefined) return ok({ found: 0, archived: 0, oldestAtUs: undefined });
    const limit = Math.min(batch, SEGMENT_OFFERS_MAX);
    const due = await timers.due('archive', shard, nowUsOf(clock) - afterUs, limit);
    if (due.isErr()) return err(due.error);
    const full = await pack(due.value);
    if (full.isErr()) return err(full.error);
    const oldest = due.value[0];
    return (await persist(full.value)).map((archived) => ({
      found: due.value.length,
      archived,
      oldestAtUs: oldest && oldest.atUs + afterUs,
    }));
  };
  return (shard) => new ResultAsync(run(shard));
};

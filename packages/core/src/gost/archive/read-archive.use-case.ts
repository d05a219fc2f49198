import { errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { mapBounded, unavailable, type BlobStore, type Codec, type Unavailable } from '../../kernel/index.ts';
import type { ArchivedOffer, ArchivePointer } from './archiving.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { OfferArchive } from './offer-archive.port.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';
import { readSegment, recordIn } from './segments.store.ts';

export type ReadArchiveNeeds = {
  readonly archive: Pick<OfferArchive, 'find'>;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly codec: Codec<ArchivedOffer>;
  /** Reads of blobs at the same time, a call. */
  readonly readsMax: number;
};
export type ArchivedRecord = ArchivedOffer & { readonly archivedAtUs: number };
/** Those of `ids` (1000 at most) that are archived, in any order. */
export type ReadArchive = (ids: readonly OfferId[]) => ResultAsync<readonly ArchivedRecord[], Unavailable>;

/** A segment that was written anew meanwhile is gone from under a pointer: the pointer is looked up again. */
const LOOKS = 3;
type Moved = { readonly moved: OfferId };
const isMoved = (one: ArchivedRecord | Moved): one is Moved => 'moved' in one;

/** One look at the pointers, then one read an offer. */
export const makeReadArchive = ({ archive, blobs, codec, readsMax }: ReadArchiveNeeds): ReadArchive => {
  const readOne = (pointer: ArchivePointer): ResultAsync<ArchivedRecord | Moved, Unavailable> => {
    const { segment, offset, length, archivedAtUs } = pointer;
    return readSegment(blobs, segment, { from: offset, to: offset + length })
      .andThen((bytes) => recordIn(bytes, pointer, codec))
      .map((found): ArchivedRecord | Moved => ({ ...found, archivedAtUs }))
      .orElse((error) =>
        error.kind === 'SegmentLost' ? okAsync({ moved: pointer.offerId }) : errAsync(error),
      );
  };
  const read = (
    ids: readonly OfferId[],
    looks: number,
  ): ResultAsync<readonly ArchivedRecord[], Unavailable> => {
    if (ids.length === 0) return okAsync([]);
    if (looks === 0) return errAsync(unavailable('a segment of the archive is gone'));
    return archive
      .find(ids)
      .andThen((pointers) => mapBounded(pointers, readsMax, readOne))
      .andThen((found) => {
        const moved = found.filter(isMoved).map((one) => one.moved);
        const records = found.filter((one): one is ArchivedRecord => !isMoved(one));
        return read(moved, looks - 1).map((others) => [...records, ...others]);
      });
  };
  return (ids) => read([...new Set(ids)], LOOKS);
};

/** `archivedAtUs`: it is in the archive, since then. */
export type FoundOffer = { readonly offer: Offer; readonly archivedAtUs: number | undefined };
/** Those of `ids` (1000 at most) that exist, removed and archived ones too, in any order. */
export type FindOffers = (ids: readonly OfferId[]) => ResultAsync<readonly FoundOffer[], Unavailable>;

/** The store first: an offer goes from there to the archive and never back, so none is missed on its way. */
export const makeFindOffers =
  (load: OfferStore['load'], readArchive: ReadArchive): FindOffers =>
  (ids) =>
    load(ids).andThen((live): ReturnType<FindOffers> | Result<readonly FoundOffer[], Unavailable> => {
      if (live.length === ids.length) return ok(live.map((offer) => ({ offer, archivedAtUs: undefined })));
      const known = new Set(live.map(({ id }) => id));
      return readArchive(ids.filter((id) => !known.has(id))).map((archived) => [
        ...live.map((offer) => ({ offer, archivedAtUs: undefined })),
        ...archived.map(({ offer, archivedAtUs }) => ({ offer, archivedAtUs })),
      ]);
    });

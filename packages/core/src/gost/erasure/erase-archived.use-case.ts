import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import type { CatalogNotLoaded } from '../../catalog/index.ts';
import {
  deleteCondemned,
  type BlobHash,
  type BlobStore,
  type Ids,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ArchivedOffer, ArchivePointer } from '../archive/archiving.ts';
import type { Conflict } from '../commit/commit-unit.ts';
import { decide } from '../offer/decide.ts';
import { ERASE_COMMAND, isErased, scrubbed } from './erasure.ts';
import type { Offer, SellerId } from '../offer/offer.ts';
import type { OutboxRecord } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { DecisionContext } from '../offer/step.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import type { OfferArchive } from '../archive/offer-archive.port.ts';
import { queuedRecords } from '../commit/stored-offer.store.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import type { EraseTraces } from './erase-traces.use-case.ts';
import { ARCHIVE_AREA, putSegment, readSegment, recordIn } from '../archive/segments.store.ts';
import { contextOf, type DecidingNeeds } from '../settings.ts';

export type EraseArchivedNeeds = DecidingNeeds & {
  readonly archive: OfferArchive;
  readonly blobs: BlobStore;
  readonly codecs: GostCodecs;
  readonly ids: Ids;
  readonly traces: Pick<EraseTraces, 'feedRows' | 'stages'>;
};
/** `last`: the end of the page, when there may be more. */
export type ErasedPage = {
  readonly offers: number;
  readonly erased: number;
  readonly entries: number;
  readonly last: OfferId | undefined;
};
export type EraseArchivedError = CatalogNotLoaded | Unavailable;
/** A page of what is archived of a seller. */
export type EraseArchived = (
  seller: SellerId,
  page: { readonly after?: OfferId; readonly limit: number },
) => ResultAsync<ErasedPage, EraseArchivedError>;

/** A record as it will be: the bytes it has, where nothing of it is to go. */
type Kept = {
  readonly pointer: ArchivePointer;
  readonly bytes: Uint8Array;
  /** Of an offer that is erased. */
  readonly before?: Offer;
  readonly outbox: readonly OutboxRecord[];
  readonly erased: number;
  readonly entries: number;
};
type Counts = Pick<ErasedPage, 'erased' | 'entries'>;
const nothing: Counts = { erased: 0, entries: 0 };

/**
 * Takes the words of a seller out of the segments that hold some: a segment is written anew without them, all its pointers
 * move in one commit that condemns the old one, and the old one is deleted. Offers of others come along as they are. An
 * erased offer gets its next version and is told once more, as one that is in the store.
 */
export const makeEraseArchived = (needs: EraseArchivedNeeds): EraseArchived => {
  const { archive, blobs, codecs, ids, traces } = needs;

  const erasedRecord = (
    { offer, history }: ArchivedOffer,
    context: DecisionContext,
  ): { readonly record: ArchivedOffer; readonly outbox: readonly OutboxRecord[] } => {
    const command = { kind: 'erase', id: ERASE_COMMAND, by: 'operator' } as const;
    const decision = isErased(offer) ? undefined : decide(offer, command, context);
    const cleaned = history.map(scrubbed);
    if (!decision?.isOk() || decision.value.kind === 'none')
      return { record: { offer, history: cleaned }, outbox: [] };
    const { change } = decision.value;
    return {
      record: { offer: change.offer, history: [change.history, ...cleaned] },
      outbox: queuedRecords(change, codecs),
    };
  };
  const keep = (
    pointer: ArchivePointer,
    segment: Uint8Array,
    seller: SellerId,
    context: DecisionContext,
  ): Result<Kept, Unavailable> => {
    const bytes = segment.subarray(pointer.offset, pointer.offset + pointer.length);
    if (pointer.seller !== seller) return ok({ pointer, bytes, outbox: [], ...nothing });
    return recordIn(bytes, pointer, codecs.archived).map((found): Kept => {
      const entries = found.history.filter((entry) => scrubbed(entry) !== entry).length;
      const before = found.offer;
      if (isErased(before) && entries === 0) return { pointer, bytes, outbox: [], ...nothing };
      const { record, outbox } = erasedRecord(found, context);
      const { version } = record.offer;
      return {
        pointer: { ...pointer, version },
        bytes: codecs.archived.encode(record),
        before,
        outbox,
        erased: version > before.version ? 1 : 0,
        entries,
      };
    });
  };
  const rewrite = (segment: BlobHash, kept: readonly Kept[]): ResultAsync<Counts, Conflict | Unavailable> =>
    putSegment(
      blobs,
      ids,
      kept.map(({ bytes }) => bytes),
    )
      .andThen((put) => {
        const pointers = kept.map(({ pointer }, i) => ({
          ...pointer,
          segment: put.segment,
          ...put.slices[i]!,
        }));
        return archive
          .rewrite({ segment, pointers, outbox: kept.flatMap(({ outbox }) => outbox) })
          .orElse((error) =>
            // Delete the unused segment now. If that fails too, the sweep finds it.
            archive
              .condemn(put.segment)
              .orElse(() => okAsync(false))
              .andThen(() => errAsync(error)),
          );
      })
      .map(() => ({
        erased: kept.reduce((sum, one) => sum + one.erased, 0),
        entries: kept.reduce((sum, one) => sum + one.entries, 0),
      }));
  /** A segment that was rewritten since it was looked up is a conflict: the caller looks it up again. */
  const cleanSegment = (
    segment: BlobHash,
    seller: SellerId,
    context: DecisionContext,
  ): ResultAsync<Counts, Conflict | Unavailable> =>
    archive
      .ofSegment(segment)
      .andThen((pointers) =>
        readSegment(blobs, segment)
          .mapErr((error): Conflict | Unavailable =>
            error.kind === 'SegmentLost' ? { kind: 'Conflict' } : error,
          )
          .map((bytes) => ({ pointers, bytes })),
      )
      .andThen(({ pointers, bytes }) => {
        if (pointers.length === 0) return errAsync<Counts, Conflict>({ kind: 'Conflict' });
        const kept: Kept[] = [];
        for (const pointer of pointers) {
          const one = keep(pointer, bytes, seller, context);
          if (one.isErr()) return errAsync(one.error);
          kept.push(one.value);
        }
        const offers = kept.flatMap(({ before }) => before ?? []);
        if (offers.length === 0) return okAsync(nothing);
        // While they still tell from which feed they came.
        return traces.feedRows(offers).andThen(() => rewrite(segment, kept));
      });
  const cleanPage = async (
    seller: SellerId,
    page: { readonly after?: OfferId; readonly limit: number },
    context: DecisionContext,
  ): Promise<Result<ErasedPage, Conflict | Unavailable>> => {
    const found = await archive.ofSeller(seller, page);
    if (found.isErr()) return err(found.error);
    let erased = 0;
    let entries = 0;
    for (const segment of new Set(found.value.map((pointer) => pointer.segment))) {
      const counts = await cleanSegment(segment, seller, context);
      if (counts.isErr()) return err(counts.error);
      erased += counts.value.erased;
      entries += counts.value.entries;
    }
    for (const { offerId } of found.value) {
      const stages = await traces.stages(offerId);
      if (stages.isErr()) return err(stages.error);
    }
    // Also what an earlier call has condemned and did not live to delete.
    const gone = await deleteCondemned(archive, blobs, ARCHIVE_AREA);
    if (gone.isErr()) return err(gone.error);
    const offers = found.value.length;
    return ok({
      offers,
      erased,
      entries,
      last: offers === page.limit ? found.value.at(-1)?.offerId : undefined,
    });
  };

  return (seller, page) =>
    decideAndCommit<ErasedPage, EraseArchivedError>('this segment of the archive', needs, () => {
      const catalog = needs.catalog();
      if (catalog.isErr()) return errAsync(catalog.error);
      return new ResultAsync(cleanPage(seller, page, contextOf(catalog.value, needs)));
    });
};

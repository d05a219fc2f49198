import type { BlobHash } from '../../kernel/index.ts';
import { moveBetween } from '../cabinet/presets.ts';
import { isErased, scrubbed } from '../erasure/erasure.ts';
import type { HistoryEntry } from '../history/history.ts';
import { emptyText, offerStatus, type Offer, type SellerId } from '../offer/offer.ts';
import type { OutboxRecord, PresetMove, TotalMove } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { timerOf, type TimerKey } from '../expiry/timer.ts';

/** All that there is of an offer, as the archive keeps it. The history is whole, newest first. */
export type ArchivedOffer = { readonly offer: Offer; readonly history: readonly HistoryEntry[] };
/** Where an archived offer is: a slice of a segment, which is a blob. */
export type ArchivePointer = {
  readonly offerId: OfferId;
  readonly seller: SellerId;
  readonly version: number;
  readonly segment: BlobHash;
  readonly offset: number;
  readonly length: number;
  readonly archivedAtUs: number;
};
/** Everything that one commit must make true when an offer leaves the store: what goes, and the pointer that comes. */
export type ArchiveMove = {
  readonly pointer: ArchivePointer;
  readonly presets: readonly PresetMove[];
  readonly totals: readonly TotalMove[];
  readonly stripe: number;
  readonly timer: TimerKey | undefined;
};
/** `pointers`: of every offer of `segment`, its new place. */
export type SegmentRewrite = {
  readonly segment: BlobHash;
  readonly pointers: readonly ArchivePointer[];
  readonly outbox: readonly OutboxRecord[];
};

/**
 * What is archived of an offer: all but its contacts, which never leave the store. Of an erased one no words, even if its
 * history was read before it was cleaned.
 */
export const archivedOf = (offer: Offer, history: readonly HistoryEntry[]): ArchivedOffer => ({
  offer: { ...offer, content: { ...offer.content, contacts: emptyText.contacts } },
  history: isErased(offer) ? history.map(scrubbed) : history,
});

/** It leaves all lists as T3 has it for an offer that is not there; sales are not among what goes. */
export const archiveMoveOf = (
  offer: Offer,
  pointer: Pick<ArchivePointer, 'segment' | 'offset' | 'length' | 'archivedAtUs'>,
  { shards, stripe }: { readonly shards: number; readonly stripe: number },
): ArchiveMove => {
  const { id: offerId, seller, version, createdAtUs } = offer;
  const { removed, totals } = moveBetween(offerStatus(offer), undefined);
  return {
    pointer: { ...pointer, offerId, seller, version },
    presets: removed.map((preset) => ({ seller, preset, createdAtUs, offerId, by: -1 })),
    totals: totals.map((one) => ({ ...one, currency: '' })),
    stripe,
    timer: timerOf(offer, shards),
  };
};

import type { BlobServer, MemoryDatabase } from '../../kernel/testing.ts';
import { archivedOf, type ArchivedOffer, type ArchivePointer } from '../archive/archiving.ts';
import type { Offer } from '../offer/offer.ts';
import type { HistoryEntry } from '../history/history.ts';
import { ARCHIVE_AREA } from '../archive/segments.store.ts';
import { jsonGostCodecs } from './json-codecs.ts';

const pointersIn = (db: MemoryDatabase): readonly ArchivePointer[] =>
  [...(db.tables.get('gost_archive')?.rows.values() ?? [])] as ArchivePointer[];
const segmentsIn = (blobs: BlobServer): ReadonlyMap<string, Uint8Array> =>
  blobs.areas.get(ARCHIVE_AREA) ?? new Map<string, Uint8Array>();

/** What every pointer leads to; undefined where that is nothing. */
const recordOf = (
  blobs: BlobServer,
  { segment, offset, length }: ArchivePointer,
): ArchivedOffer | undefined => {
  const bytes = segmentsIn(blobs)
    .get(segment)
    ?.subarray(offset, offset + length);
  return bytes && jsonGostCodecs.archived.decode(bytes).unwrapOr(undefined);
};
/** Every offer that has left the store. */
export const archivedIn = (db: MemoryDatabase, blobs: BlobServer): readonly ArchivedOffer[] =>
  pointersIn(db).flatMap((pointer) => recordOf(blobs, pointer) ?? []);

/** What the archive keeps of it. */
const textOf = (offer: Offer, history: readonly HistoryEntry[]): string => {
  const { offer: kept, history: entries } = archivedOf(offer, history);
  return JSON.stringify([kept, [...entries].sort((a, b) => b.version - a.version)]);
};

/**
 * [G17] An offer that was ever there is in the store or in the archive, never in both and never in neither, and the
 * archive has it as it was when it was last seen in the store, with its history.
 */
export const archiveLaw = (
  db: MemoryDatabase,
  blobs: BlobServer,
): ((offers: readonly Offer[], history: readonly HistoryEntry[]) => string | undefined) => {
  const last = new Map<string, { readonly version: number; readonly text: string }>();
  return (offers, history) => {
    const live = new Set<string>(offers.map(({ id }) => id));
    const entries = new Map<string, HistoryEntry[]>();
    for (const entry of history) {
      const known = entries.get(entry.offerId);
      if (known) known.push(entry);
      else entries.set(entry.offerId, [entry]);
    }
    const archived = new Set<string>();
    for (const pointer of pointersIn(db)) {
      const { offerId, version } = pointer;
      if (live.has(offerId)) return `archive: ${offerId} is there twice`;
      const record = recordOf(blobs, pointer);
      if (record?.offer.id !== offerId || record.offer.version !== version)
        return `archive: the pointer of ${offerId} v${version} leads to nothing`;
      const before = last.get(offerId);
      if (before?.version === version && before.text !== textOf(record.offer, record.history))
        return `archive: ${offerId} v${version} is not what it was`;
      archived.add(offerId);
    }
    for (const offer of offers)
      last.set(offer.id, {
        version: offer.version,
        text: textOf(offer, entries.get(offer.id) ?? []),
      });
    const lost = [...last.keys()].find((id) => !live.has(id) && !archived.has(id));
    return lost && `archive: ${lost} is nowhere`;
  };
};

/** Whether everything that time does is done: no offer waits for its expiry or for the archive, and no segment is unused. */
export const archiveIsQuiet = (db: MemoryDatabase, blobs: BlobServer): boolean => {
  const named = new Set<string>(pointersIn(db).map(({ segment }) => segment));
  return (
    (db.tables.get('gost_timer')?.rows.size ?? 0) === 0 &&
    [...segmentsIn(blobs).keys()].every((segment) => named.has(segment))
  );
};

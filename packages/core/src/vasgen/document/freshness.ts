/** What a change is: a document (an upsert or a client's delete), or the end of its ttl, which stands just above it. */
export type ChangeKind = 'document' | 'expiry';

/**
 * The place of a change in its document's history. All numbers are whole, not negative and below 2^53.
 * `timestampMs` is the moment the document was composed.
 */
export type Freshness = {
  readonly epoch: number;
  readonly version: number;
  readonly timestampMs: number;
  readonly kind: ChangeKind;
};

const rank: Record<ChangeKind, number> = { document: 0, expiry: 1 };

/**
 * The one comparison: lexicographic on (epoch, version, timestamp, kind). Above 0 when `a` is fresher; 0 is the very
 * same place, so a lower or equal change is stale. An expiry carries its document's own triple: it wins over that
 * upsert and loses to anything newer.
 */
export const compareFreshness = (a: Freshness, b: Freshness): number =>
  a.epoch - b.epoch || a.version - b.version || a.timestampMs - b.timestampMs || rank[a.kind] - rank[b.kind];

export const isFresher = (change: Freshness, kept: Freshness | undefined): boolean =>
  kept === undefined || compareFreshness(change, kept) > 0;

const isPlace = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Names the part that is no place: what does not fit is refused, never rounded. */
export const freshnessFault = ({
  epoch,
  version,
  timestampMs,
}: Freshness): 'epoch' | 'version' | 'timestampMs' | undefined => {
  if (!isPlace(epoch)) return 'epoch';
  if (!isPlace(version)) return 'version';
  return isPlace(timestampMs) ? undefined : 'timestampMs';
};

import { xxh64Bytes, type BlobArea, type BlobHash, type Delivered } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';

/** Where the segments of the archive are. */
export const ARCHIVE_AREA = 'vasgen-archive' as BlobArea;

/** A record of an index topic as it was, with its bytes. */
export type ArchivedRecord = {
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: string;
  readonly value: Uint8Array;
};
/**
 * What the blob of a segment holds. The name is unique, so the same records put twice are two blobs: bytes that were
 * deleted never come back under their hash.
 */
export type ArchiveSegment = {
  readonly name: string;
  readonly client: string;
  readonly log: string;
  readonly partition: number;
  readonly records: readonly ArchivedRecord[];
};

/** A segment of one partition of a client's index topic. `log` is the incarnation of the topic. */
export type SegmentKey = {
  readonly client: ClientName;
  readonly log: string;
  readonly partition: number;
  readonly fromOffset: number;
};
/** The stored bytes of a segment. */
export type SegmentContent = {
  readonly hash: BlobHash;
  /** XXH64 of the stored bytes, in hexadecimal. */
  readonly checksum: string;
  readonly bytes: number;
  readonly records: number;
};
export type SegmentRow = SegmentKey &
  SegmentContent & {
    /** The last record. */
    readonly toOffset: number;
    /** The times of the first and the last record in the log. */
    readonly fromMs: number;
    readonly toMs: number;
    readonly writtenAtMs: number;
    /** Erasures that were asked for before this moment are done in it. */
    readonly scrubbedAtMs: number;
  };

export const segmentChecksum = (bytes: Uint8Array): string =>
  xxh64Bytes(bytes).toString(16).padStart(16, '0');

/** The row of a segment with these records, which follow each other in one partition. */
export const segmentRow = (
  client: ClientName,
  records: readonly Delivered[],
  content: SegmentContent,
  nowMs: number,
): SegmentRow => {
  const first = records[0]!;
  const last = records.at(-1)!;
  // The clock of a log may go back between two records.
  const times = records.map(({ timestampMs }) => timestampMs);
  return {
    client,
    log: first.position.log,
    partition: first.position.partition,
    fromOffset: first.position.offset,
    toOffset: last.position.offset,
    fromMs: times.reduce((a, b) => Math.min(a, b)),
    toMs: times.reduce((a, b) => Math.max(a, b)),
    hash: content.hash,
    checksum: content.checksum,
    bytes: content.bytes,
    records: content.records,
    writtenAtMs: nowMs,
    // It may hold documents that were erased after they were published.
    scrubbedAtMs: 0,
  };
};

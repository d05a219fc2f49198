import type { Codec } from '../kernel/index.ts';
import type { ArchiveSegment } from './archive/archive-segment.ts';
import type { IndexedDocument } from './document/indexed-document.ts';
import type { RawDocument } from './document/raw-document.ts';
import type { QualifiedBatch, RejectedDocument } from './receiver/qualified-batch.ts';

export type VasgenCodecs = {
  /** The stored document. Equal documents have equal bytes. */
  readonly document: Codec<RawDocument>;
  /** Records of the index topics. */
  readonly indexed: Codec<IndexedDocument>;
  /** Records of `vasgen-indexer` and `vasgen-indexer-bulk`. */
  readonly batch: Codec<QualifiedBatch>;
  /** Records of `vasgen-rejected`. */
  readonly rejected: Codec<RejectedDocument>;
  /** Segments of the archive. */
  readonly segment: Codec<ArchiveSegment>;
};

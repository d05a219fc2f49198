import type { Position } from '../../kernel/index.ts';
import type { RawDocument } from '../document/raw-document.ts';
import type { Verdict } from '../registry/judge.ts';

/** A record of the input topics: documents of one client, in the order in which they were composed. */
export type QualifiedBatch = { readonly client: string; readonly documents: readonly RawDocument[] };
/** A document of an input topic that was refused. Its client reads these, so nothing refused is forgotten. */
export type RejectedDocument = {
  readonly client: string;
  readonly document: RawDocument;
  readonly verdict: Verdict;
  /** Where the batch stood, and the document's place in it. */
  readonly position: Position;
  readonly index: number;
};
/** Live documents. */
export const LIVE_TOPIC = 'vasgen-indexer';
/** Re-indexing and other mass sends. They never delay live documents. */
export const BULK_TOPIC = 'vasgen-indexer-bulk';
export const REJECTED_TOPIC = 'vasgen-rejected';

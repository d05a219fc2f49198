import type { Freshness } from '../document/freshness.ts';

/** The queue that a received document goes to: `main` by gRPC and the live topic, `bulk` by the bulk topic. */
export type Lane = 'main' | 'bulk';

/** The newest state of a document in one epoch. */
export type RegistryRow = {
  readonly pk: string;
  readonly place: Freshness;
  readonly status: 'alive' | 'tombstone';
  readonly expiresAtMs: number | undefined;
  /** When this row was written. Tombstones are forgotten by it, never by their place. */
  readonly writtenAtMs: number;
  /** The number of the schema that the document was judged under. */
  readonly schema: number;
  /** Where the newest queue element of this row was put. */
  readonly lane: Lane;
  /** Hash of the document's content, to notice other content under the same place. */
  readonly contentHash: string;
  /** The stored document; a tombstone has none. */
  readonly body: Uint8Array | undefined;
};
export type RowHead = Omit<RegistryRow, 'body'>;

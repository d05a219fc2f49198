import type { Brand } from '../../kernel/index.ts';
import type { FieldValue } from '../engine/index-change.ts';
import type { FieldKind } from '../engine/index-schema.ts';
import type { Freshness } from './freshness.ts';

/** Whose documents these are. Each client has its own registry, queues, epochs and index. */
export type ClientName = Brand<string, 'ClientName'>;
const CLIENT = /^[a-z][a-z0-9-]{0,39}$/;
export const clientName = (text: string): ClientName | undefined =>
  CLIENT.test(text) ? (text as ClientName) : undefined;

/** A field states its kind, and whether it has one value or a list. */
export type RawField = {
  readonly name: string;
  readonly kind: Exclude<FieldKind, 'vector'>;
  readonly multiple: boolean;
  /** Undefined if the client sent none, or one of a kind that this version does not know: the document is refused. */
  readonly value: FieldValue | undefined;
};
export type Embedding = { readonly name: string; readonly vector: readonly number[] };

/**
 * - `upsert`: this is the document now. `delete`: it is no more.
 * - `erase`: as a delete; afterwards its body is removed from registry and archive.
 * - `unknown`: the client sent an event that this version does not know. The document is refused.
 */
export type DocumentEvent = 'upsert' | 'delete' | 'erase' | 'unknown';

/** A document as its client sends it. `(epoch, version, composedAtMs)` is its place in the document's history. */
export type RawDocument = {
  readonly pk: string;
  readonly event: DocumentEvent;
  readonly epoch: number;
  readonly version: number;
  /** When the client composed it. Later compositions of one version are fresher. */
  readonly composedAtMs: number;
  readonly fields: readonly RawField[];
  readonly embeddings: readonly Embedding[];
  /** The document leaves the index some time after this moment. */
  readonly expiresAtMs: number | undefined;
  /** Bytes of the client. They are not indexed, and are returned with the document. */
  readonly payload: Uint8Array | undefined;
};

export const placeOf = ({ epoch, version, composedAtMs }: RawDocument): Freshness => ({
  epoch,
  version,
  timestampMs: composedAtMs,
  kind: 'document',
});

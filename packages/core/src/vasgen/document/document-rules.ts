import { textViolations, utf8Bytes, type Violation } from '../../kernel/index.ts';
import type { FieldValue } from '../engine/index-change.ts';
import type { RawDocument } from './raw-document.ts';

export type DocumentLimits = {
  /** Texts, names, vectors and payload together, before compression. It must fit a record of the index topic. */
  readonly documentBytesMax: number;
  readonly fieldNameCharsMax: number;
  /** How far ahead of the receiver's clock a document may be composed. One from the far future could never be replaced. */
  readonly clockAheadMs: number;
};
export const defaultDocumentLimits: DocumentLimits = {
  documentBytesMax: 256 * 1024,
  fieldNameCharsMax: 200,
  clockAheadMs: 5 * 60_000,
};

const valueBytes = (value: FieldValue | undefined): number => {
  if (typeof value === 'string') return utf8Bytes(value);
  if (!Array.isArray(value)) return 16;
  let bytes = 0;
  for (const one of value as readonly FieldValue[]) bytes += 4 + valueBytes(one);
  return bytes;
};
/** About the size of the document on the wire, never below it. */
export const documentBytes = ({ pk, fields, embeddings, payload }: RawDocument): number => {
  let bytes = 100 + utf8Bytes(pk) + (payload?.byteLength ?? 0);
  for (const { name, value } of fields) bytes += 24 + utf8Bytes(name) + valueBytes(value);
  for (const { name, vector } of embeddings) bytes += 24 + utf8Bytes(name) + 8 * vector.length;
  return bytes;
};

const isMoment = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** What is wrong with the document whatever the schema of its epoch is. Types of values are the schema's business. */
export const documentFaults = (
  document: RawDocument,
  nowMs: number,
  { documentBytesMax, fieldNameCharsMax, clockAheadMs }: DocumentLimits,
): readonly Violation[] => {
  const faults: Violation[] = [];
  const { event, fields, embeddings, composedAtMs, expiresAtMs } = document;
  const refuse = (path: string, code: string, message: string): void =>
    void faults.push({ path, code, message });
  const named = [...fields, ...embeddings];
  faults.push(...textViolations('pk', document.pk, { charsMax: Infinity }));
  if (event === 'unknown') refuse('event', 'Unknown', 'upsert, delete or erase');
  if (event === 'upsert' && fields.length === 0) refuse('fields', 'Missing', 'at least one field');
  if (event !== 'upsert' && (named.length > 0 || document.payload))
    refuse('fields', 'Unexpected', `a document that is to ${event} has no fields and no payload`);
  if (composedAtMs > nowMs + clockAheadMs)
    refuse('modify_timestamp', 'InTheFuture', `at most ${clockAheadMs} ms ahead of the receiver's clock`);
  if (expiresAtMs !== undefined && !isMoment(expiresAtMs))
    refuse('ttl', 'Range', 'whole milliseconds from 0 to 2^53 - 1');
  for (const { name, value } of fields)
    if (value === undefined) refuse(name, 'Missing', 'a field has a value of a known kind');
  const seen = new Set<string>();
  for (const { name } of named) {
    faults.push(...textViolations('fields.name', name, { charsMin: 1, charsMax: fieldNameCharsMax }));
    if (seen.has(name)) refuse(name, 'Repeated', 'a name stands once in a document');
    seen.add(name);
  }
  const bytes = documentBytes(document);
  if (bytes > documentBytesMax) refuse('', 'TooLarge', `${bytes} bytes, at most ${documentBytesMax}`);
  return faults;
};

import { err, ok, type Result } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import type { RawDocument } from '../document/raw-document.ts';
import type { RegistryRow } from './registry-row.ts';

/** A row of the registry as the index topic carries it. The error says why its body can't be read. */
export const indexedOf = (
  { pk, place, schema, status, body }: RegistryRow,
  documents: Codec<RawDocument>,
): Result<IndexedDocument, string> => {
  if (status === 'tombstone') return ok({ pk, place, schema, document: undefined });
  if (!body) return err('the row has no document');
  return documents
    .decode(body)
    .map((document) => ({ pk, place, schema, document }))
    .mapErr(
      ({ what, field }) => `the document can not be read: ${what}${field === undefined ? '' : ` (${field})`}`,
    );
};

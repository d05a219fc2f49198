import type { FieldValue, IndexChange } from '../engine/index-change.ts';
import { placeOf, type RawDocument } from './raw-document.ts';

/** The document as an engine takes it. Names must be unique. */
export const indexChangeOf = (document: RawDocument): IndexChange => {
  const { pk, event, fields, embeddings } = document;
  if (event !== 'upsert') return { pk, freshness: placeOf(document), event: 'delete' };
  const values: [string, FieldValue][] = [];
  for (const { name, value } of fields) if (value !== undefined) values.push([name, value]);
  for (const { name, vector } of embeddings) values.push([name, vector]);
  // `fromEntries` makes own properties, also of a field that is called `__proto__`.
  return { pk, freshness: placeOf(document), event: 'upsert', fields: Object.fromEntries(values) };
};

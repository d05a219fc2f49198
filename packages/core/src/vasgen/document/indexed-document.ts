import type { IndexRecord } from '../engine/index-record.ts';
import type { Freshness } from './freshness.ts';
import { indexChangeOf } from './index-change-of.ts';
import type { ClientName, RawDocument } from './raw-document.ts';

/** A record of a client's index topic: a document with everything that its client sent, or its end. */
export type IndexedDocument = {
  readonly pk: string;
  readonly place: Freshness;
  /** The number of the schema that the document was judged under. */
  readonly schema: number;
  /** Undefined: the document is no more. */
  readonly document: RawDocument | undefined;
};

export const indexTopic = (client: ClientName): string => `vasgen-${client}-index`;

/** The record as an engine's feed takes it. */
export const indexRecordOf = ({ pk, place, schema, document }: IndexedDocument): IndexRecord => ({
  schema,
  change: document
    ? { ...indexChangeOf(document), pk, freshness: place }
    : { pk, freshness: place, event: 'delete' },
});

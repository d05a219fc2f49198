import type { DocumentFields } from '@doska/core/vasgen';
import type { BenchQuery } from './corpus.ts';

/** What every engine of the comparison answers with: enough to see that it did the same work. */
export type PeerAnswer = { readonly total: number; readonly facets: number; readonly hits: number };
export type PeerDocument = {
  readonly number: number;
  readonly fields: DocumentFields;
  readonly title: string;
  readonly description: string;
};

/** Texts come stemmed by our analyzer (`title`, `description`), so that every peer finds the same documents. */
export interface Peer {
  readonly name: string;
  load(documents: Iterable<PeerDocument>): Promise<void>;
  query(query: BenchQuery, stems: readonly string[]): Promise<PeerAnswer>;
  close(): Promise<void>;
}
export function* inBatches<T>(items: Iterable<T>, size: number): Iterable<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

import type { ResultAsync } from 'neverthrow';
import type { InvalidInput, Unavailable } from '../../kernel/index.ts';

export type IndexedOffer = { readonly pk: string; readonly version: number };
/** `next`: where the scan goes on; undefined at its end. */
export type IndexedPage = { readonly offers: readonly IndexedOffer[]; readonly next: string | undefined };

/** The living documents of the offers client, as indexing has accepted them. */
export interface IndexedOffers {
  /** Some living documents of an epoch, in an order of its own. An empty cursor begins. */
  page(epoch: number, cursor: string): ResultAsync<IndexedPage, InvalidInput | Unavailable>;
  /** The versions of those that are alive, at most 1000 keys. */
  versions(epoch: number, pks: readonly string[]): ResultAsync<ReadonlyMap<string, number>, Unavailable>;
}

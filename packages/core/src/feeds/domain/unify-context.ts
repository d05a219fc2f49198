import { catalogLookup, type Catalog, type CatalogLookup } from '../../catalog/index.ts';
import type { Analyzer } from '../../vasgen/index.ts';
import { recognitionIndex, type RecognitionIndex } from '../recognition/recognition-index.ts';
import type { FeedDefaults } from './feed.ts';

/** What a run asks of the catalogue: one version, and its names. */
export type UnifyContext = {
  readonly catalog: Catalog;
  readonly lookup: CatalogLookup;
  readonly index: RecognitionIndex;
  readonly defaults: FeedDefaults;
  readonly errorsMax: number;
  /** A category that is guessed from words counts from this sureness on, 0 to 1. */
  readonly surenessMin: number;
};
export const unifyContext = (
  catalog: Catalog,
  analyzer: Analyzer,
  { defaults, errorsMax, surenessMin }: Pick<UnifyContext, 'defaults' | 'errorsMax' | 'surenessMin'>,
): UnifyContext => ({
  catalog,
  lookup: catalogLookup(catalog),
  index: recognitionIndex(catalog, analyzer),
  defaults,
  errorsMax,
  surenessMin,
});

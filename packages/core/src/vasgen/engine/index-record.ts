import type { IndexChange } from './index-change.ts';

/**
 * What the index topic carries. `schema` is the number of the schema that the change was made under: a searcher that
 * knows less extends its index before it applies the change.
 */
export type IndexRecord = { readonly schema: number; readonly change: IndexChange };

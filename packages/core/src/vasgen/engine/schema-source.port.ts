import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { IndexSchema } from './index-schema.ts';

/** A schema only grows inside its epoch; every growth has a higher number. */
export type NumberedSchema = { readonly number: number; readonly schema: IndexSchema };

/** Where a searcher learns the present schema of an epoch. */
export interface SchemaSource {
  current(epoch: number): ResultAsync<NumberedSchema, Unavailable>;
}

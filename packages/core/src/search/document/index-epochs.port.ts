import type { ResultAsync } from 'neverthrow';
import type { InvalidInput, Unavailable } from '../../kernel/index.ts';
import type { DeclaredPlans, Epoch, IndexSchema } from '../../vasgen/index.ts';

/** Indexing as its client `offers` sees it. */
export interface IndexEpochs {
  /** The living epochs with their schemas, ascending. */
  living(): ResultAsync<readonly Epoch[], Unavailable>;
  /** Adds fields and plans to an epoch. Fields that are there already are no error. */
  declare(
    epoch: number,
    fields: IndexSchema,
    plans: DeclaredPlans,
  ): ResultAsync<void, InvalidInput | Unavailable>;
}

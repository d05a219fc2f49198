import { err, ok, type Result } from 'neverthrow';
import type { Catalog } from '../../catalog/index.ts';
import { limitRepeats, type Clock, type Logger, type Unavailable } from '../../kernel/index.ts';
import type { Epoch } from '../../vasgen/index.ts';
import type { IndexEpochs } from '../document/index-epochs.port.ts';
import { fittingFields, offersPlans, offersSchema, type Ranking } from '../document/offer-fields.ts';

/** The living epochs, asked at most every few seconds. */
export type DeclaredEpochs = {
  living(): Promise<Result<readonly Epoch[], Unavailable>>;
  /** The living epochs after each has the fields of this catalogue. */
  declared(catalog: Catalog): Promise<Result<readonly Epoch[], Unavailable>>;
  /** The next call asks again: a document was refused, or an epoch is known to be new. */
  forget(): void;
};
export type DeclaredEpochsNeeds = {
  readonly epochs: IndexEpochs;
  readonly ranking: Ranking;
  readonly keptMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
};

export const makeDeclaredEpochs = (needs: DeclaredEpochsNeeds): DeclaredEpochs => {
  const { epochs, ranking, keptMs, clock } = needs;
  const logger = limitRepeats(needs.logger, clock);
  let known: { readonly living: readonly Epoch[]; readonly atMs: number } | undefined;
  /** The catalogue version that each epoch has the fields of. */
  const declaredFor = new Map<number, number>();

  const living = async (): Promise<Result<readonly Epoch[], Unavailable>> => {
    if (known && clock.nowMs() - known.atMs < keptMs) return ok(known.living);
    // The answer may have been on its way for long: it is as old as the question.
    const atMs = clock.nowMs();
    const found = await epochs.living();
    if (found.isErr()) return err(found.error);
    known = { living: found.value, atMs };
    return ok(found.value);
  };
  const declare = async (catalog: Catalog, { epoch, schema }: Epoch): Promise<Result<void, Unavailable>> => {
    if (declaredFor.get(epoch) === catalog.version) return ok(undefined);
    const wanted = fittingFields(schema.fields, offersSchema(catalog));
    const declared = await epochs.declare(epoch, wanted, offersPlans(ranking));
    if (declared.isErr() && declared.error.kind === 'Unavailable') return err(declared.error);
    // Documents state the kinds of their fields themselves: what can't be declared does not stop them.
    if (declared.isErr())
      logger.error('fields of offers can not be declared', { epoch, error: declared.error });
    declaredFor.set(epoch, catalog.version);
    return ok(undefined);
  };
  return {
    living,
    forget: () => void (known = undefined),
    declared: async (catalog) => {
      const found = await living();
      if (found.isErr()) return found;
      for (const epoch of found.value) {
        const declared = await declare(catalog, epoch);
        if (declared.isErr()) return err(declared.error);
      }
      return found;
    },
  };
};

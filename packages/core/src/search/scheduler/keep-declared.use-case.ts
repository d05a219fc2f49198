import type { CatalogCache } from '../../catalog/index.ts';
import { sleep, type Clock, type Logger } from '../../kernel/index.ts';
import type { DeclaredEpochs } from './declared-epochs.use-case.ts';

/** How soon a declaration that failed, or that waits for the catalogue, is tried again. */
const AGAIN_MS = 200;

type Needs = {
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly epochs: DeclaredEpochs;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly everyMs: number;
};

/** Gives every living epoch the fields of the newest catalogue again and again, until the signal. */
export const makeKeepDeclared =
  ({ catalog, epochs, clock, logger, everyMs }: Needs) =>
  async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const copy = catalog.copy();
      const declared = copy.isOk() ? await epochs.declared(copy.value.catalog) : undefined;
      if (declared?.isErr())
        logger.warn('the fields of offers can not be declared', { error: declared.error });
      await sleep(clock, declared?.isOk() ? everyMs : AGAIN_MS, signal);
    }
  };

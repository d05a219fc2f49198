import { notReady, type Part, type ReadinessCheck } from '@doska/app-composition';
import type { Searcher } from '@doska/core/vasgen';
import { err, ok } from 'neverthrow';

/** Runs the searcher of the process. Ready at once: `searcherReady` tells when queries can be answered. */
export const searcherPart = (app: string, searcher: Searcher): Part => ({
  app,
  name: 'searcher',
  run: (signal, ready) => {
    ready();
    return searcher.run(signal);
  },
});

export const searcherReady =
  (searcher: Searcher): ReadinessCheck =>
  async () => {
    const missing = searcher.missing();
    return missing === undefined ? ok(undefined) : err(notReady(missing));
  };

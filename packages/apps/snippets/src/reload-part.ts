import type { Part } from '@doska/app-composition';
import type { ReloadSnippets } from '@doska/app-wiring/snippets';
import { sleep, type Clock, type Logger } from '@doska/core/kernel';

type Needs = {
  readonly reload: ReloadSnippets;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Looks at the files of the configuration now and then. A wrong one is logged with every mistake, and the old one serves on. */
export const reloadPart = (app: string, { reload, everyMs, clock, logger }: Needs): Part => ({
  app,
  name: 'snippets-reload',
  run: async (signal, ready) => {
    ready();
    let told = '';
    while (!signal.aborted) {
      await sleep(clock, everyMs, signal);
      if (signal.aborted) return;
      const outcome = await reload();
      const words = outcome.isErr() ? outcome.error.lines.join('\n') : '';
      if (outcome.isErr() && words !== told)
        logger.error('the snippet configuration is wrong, the old one stays', {
          mistakes: outcome.error.lines,
        });
      if (outcome.isOk() && outcome.value === 'loaded')
        logger.info('the snippet configuration was loaded again');
      if (outcome.isErr() || outcome.value === 'loaded') told = words;
    }
  },
});

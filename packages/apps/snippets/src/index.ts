import { snippetAdminService, snippetService } from '@doska/adapters-grpc';
import { holdingPart, Tokens, type App, type Part } from '@doska/app-composition';
import { SnippetsTokens, snippetsWiring } from '@doska/app-wiring/snippets';
import type { Access } from '@doska/core/kernel';
import { snippetsRoute } from './http/snippets-route.ts';
import { reloadPart } from './reload-part.ts';

const NAME = 'snippets';
const readers = (ratePerMinute: number): Access =>
  ratePerMinute > 0 ? { public: { ratePerMinute } } : { roles: ['publisher', 'service', 'operator'] };

/** Stores small pieces of information by name and key, and answers them within milliseconds. */
export const snippets: App = {
  name: NAME,
  summary: 'Stores snippets by name, key and language over HTTP and gRPC.',
  contexts: [snippetsWiring],
  parts: (container) => {
    const jobs = container.get(Tokens.jobs);
    const { purge } = container.get(SnippetsTokens.snippets).workers;
    const { reloadMs } = container.get(SnippetsTokens.config);
    const purging = holdingPart(NAME, purge.name, () => jobs.start(purge));
    const { follow } = container.get(SnippetsTokens.topics).workers;
    const steady: readonly Part[] = [purging, { app: NAME, name: 'snippets-topics', run: follow }];
    if (reloadMs === 0) return steady;
    return [
      ...steady,
      reloadPart(NAME, {
        reload: container.get(SnippetsTokens.reload),
        everyMs: reloadMs,
        clock: container.get(Tokens.clock),
        logger: container.get(Tokens.telemetry).logger,
      }),
    ];
  },
  services: (container) => {
    const { ratePerMinute } = container.get(SnippetsTokens.config);
    const { useCases } = container.get(SnippetsTokens.snippets);
    const reload = container.get(SnippetsTokens.reload);
    return [
      snippetService(useCases, readers(ratePerMinute)),
      snippetAdminService({
        keys: useCases.keys,
        purge: useCases.purge,
        redrive: container.get(SnippetsTokens.topics).useCases.redrive,
        reload: async () => {
          const outcome = await reload();
          return outcome.isOk()
            ? { isLoaded: outcome.value === 'loaded', mistakes: [] }
            : { isLoaded: false, mistakes: outcome.error.lines };
        },
      }),
    ];
  },
  hot: (container) => {
    const { path, contentBytesMax, bulkBytesMax, bulkMs, ratePerMinute } = container.get(
      SnippetsTokens.config,
    );
    return [
      snippetsRoute({
        snippets: container.get(SnippetsTokens.snippets),
        path,
        contentBytesMax,
        bulkBytesMax,
        bulkMs,
        readers: readers(ratePerMinute),
        clock: container.get(Tokens.clock),
        ids: container.get(Tokens.ids),
        logger: container.get(Tokens.telemetry).logger,
      }),
    ];
  },
};

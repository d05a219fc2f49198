import { pgSnippetStore } from '@doska/adapters-pg';
import { defineContext, listed, startProblem, Tokens, type StartProblem } from '@doska/app-composition';
import { describeMistake, isPlatformSegment, openSnippets, type SnippetSettings } from '@doska/core/snippets';
import { ContainerModule, type Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import { loadParts, readSchemas, readSnippetFiles, snippetFiles } from './load-files.ts';
import { snippetsSettings } from './settings.ts';
import { SnippetsTokens, type SnippetsConfig } from './tokens.ts';

export {
  loadParts,
  readSchemas,
  readSnippetFiles,
  SAMPLE_DIR,
  snippetFiles,
  type SnippetFiles,
} from './load-files.ts';
export { SnippetsTokens, type SnippetsConfig } from './tokens.ts';

const settingsOf = (config: SnippetsConfig): SnippetSettings => ({
  keyBytesMax: config.keyBytesMax,
  contentBytesMax: config.contentBytesMax,
  commitBytesMax: config.commitBytesMax,
  jsonDepthMax: config.jsonDepthMax,
  services: listed(config.services),
  sharesRootPath: config.path === '/',
  tombstoneMs: config.tombstoneMs,
  purgeEveryMs: config.purgeEveryMs,
  answerBytesMax: config.answerBytesMax,
  waitingMax: config.waitingMax,
});

/** Reads the configuration and opens the service. A mistake in a file stops the start and names its line. */
const open = async (container: Container): Promise<Result<void, StartProblem>> => {
  const config = container.get(SnippetsTokens.config);
  const files = snippetFiles(config, container.get(Tokens.config).profile === 'embedded');
  const parts = await loadParts(config.modules);
  if (parts.isErr()) return err(parts.error);
  const source = await readSnippetFiles(files);
  if (source.isErr()) return err(source.error);
  const schemas = await readSchemas(files);
  if (schemas.isErr()) return err(schemas.error);
  const { logger } = container.get(Tokens.telemetry);
  const ports = {
    store: container.get(SnippetsTokens.store),
    clock: container.get(Tokens.clock),
    parts: parts.value,
    schemas: schemas.value,
  };
  const opened = openSnippets(ports, settingsOf(config), source.value);
  if (opened.isErr())
    return err(
      startProblem(...opened.error.mistakes.map((one) => `${files?.config}: ${describeMistake(one)}`)),
    );
  const snippets = opened.value;
  const { topics } = snippets.useCases.config();
  // A topic that no process reads would only fill up.
  if (topics.length > 0)
    return err(
      startProblem(
        ...topics.map(
          ({ section, topic }) =>
            `${files?.config}: section "${section}": InputTopic: reading the topic "${topic}" is not available in this version`,
        ),
      ),
    );
  for (const warning of snippets.useCases.config().warnings)
    logger.info('snippet configuration', { file: files?.config, warning: describeMistake(warning) });
  container.bind(SnippetsTokens.snippets).toConstantValue(snippets);
  container.get(Tokens.lifecycle).add('snippets', () => snippets.close());
  return ok(undefined);
};

export const snippetsWiring = defineContext({
  name: 'snippets',
  title: 'Snippets',
  settings: snippetsSettings,
  check: ({ snippets, retentionMs }) => [
    ...(snippets.tombstoneMs < retentionMs
      ? [
          'DOSKA_SNIPPETS_TOMBSTONE_MS: at least DOSKA_RETENTION_MS, or a late record brings back a deleted snippet',
        ]
      : []),
    ...(snippets.path !== '/' && isPlatformSegment(snippets.path.split('/')[1]!)
      ? [`DOSKA_SNIPPETS_PATH: paths that begin with /${snippets.path.split('/')[1]} belong to the platform`]
      : []),
  ],
  module: ({ snippets }) =>
    new ContainerModule(({ bind }) => {
      bind(SnippetsTokens.config).toConstantValue(snippets);
      bind(SnippetsTokens.store)
        .toResolvedValue((pool) => pgSnippetStore(pool), [Tokens.pool])
        .inSingletonScope();
    }),
  prepare: open,
});

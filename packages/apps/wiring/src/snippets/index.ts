import { pgSnippetStore } from '@doska/adapters-pg';
import { deadLetterCodec, snippetRetryCodec } from '@doska/adapters-proto';
import { ydbSnippetStore } from '@doska/adapters-ydb';
import {
  defineContext,
  listed,
  startProblem,
  storeOf,
  Tokens,
  topicProblem,
  topicSpec,
  type StartProblem,
} from '@doska/app-composition';
import {
  describeMistake,
  isPlatformSegment,
  loadConfig,
  openSnippets,
  openSnippetTopics,
  prepareTopics,
  type ConfigSource,
  type LoadedConfig,
  type SnippetPorts,
  type Snippets,
  type SnippetSettings,
  type WrongConfig,
} from '@doska/core/snippets';
import { ContainerModule, type Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import { loadParts, readSchemas, readSnippetFiles, snippetFiles, type SnippetFiles } from './load-files.ts';
import { snippetsSettings } from './settings.ts';
import { SnippetsTokens, type ReloadSnippets, type SnippetsConfig } from './tokens.ts';

export {
  loadParts,
  readSchemas,
  readSnippetFiles,
  SAMPLE_DIR,
  snippetFiles,
  type SnippetFiles,
} from './load-files.ts';
export { SnippetsTokens, type ReloadSnippets, type SnippetsConfig } from './tokens.ts';

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
  bulkAtOnce: config.bulkAtOnce,
});

const mistakesIn = (files: SnippetFiles, { mistakes }: WrongConfig): StartProblem =>
  startProblem(...mistakes.map((one) => `${files?.config}: ${describeMistake(one)}`));

/** Creates what is missing for the topics that sections read. */
const topicsReady = async (
  files: SnippetFiles,
  { config: { topics } }: LoadedConfig,
  container: Container,
): Promise<StartProblem | undefined> => {
  if (topics.length === 0) return undefined;
  const platform = container.get(Tokens.config);
  const ready = await prepareTopics(container.get(Tokens.log), topics, (name) => topicSpec(platform, name));
  if (ready.isOk()) return undefined;
  const { error } = ready;
  if (error.kind !== 'PublisherTimes') return topicProblem(error, platform);
  const { section, topic } = error;
  return startProblem(
    `${files?.config}: section "${section}": InputTopic: the records of "${topic}" have the times of their publishers, so a publisher whose clock is behind would lose updates. Set message.timestamp.type=LogAppendTime for this topic.`,
  );
};

const isSame = (one: ConfigSource, other: ConfigSource): boolean =>
  one.text === other.text &&
  one.prefixes.size === other.prefixes.size &&
  [...one.prefixes].every(([name, kps]) => other.prefixes.get(name) === kps);

const reloading = (
  files: SnippetFiles,
  first: ConfigSource,
  { useCases }: Snippets,
  ports: SnippetPorts,
  settings: SnippetSettings,
  container: Container,
): ReloadSnippets => {
  let seen = first;
  return async () => {
    const source = await readSnippetFiles(files);
    if (source.isErr()) return err(source.error);
    if (isSame(source.value, seen)) return ok('unchanged');
    // A config that was refused is not judged again until it changes.
    seen = source.value;
    const next = loadConfig(source.value, ports, settings);
    if (next.isErr()) return err(mistakesIn(files, next.error));
    const unready = await topicsReady(files, next.value, container);
    if (unready) {
      // The log may be away: the next look tries again.
      seen = { text: '', prefixes: new Map() };
      return err(unready);
    }
    useCases.use(next.value);
    return ok('loaded');
  };
};

/** Reads the configuration and opens the service. A mistake in a file stops the start and names its line. */
const open = async (container: Container): Promise<Result<void, StartProblem>> => {
  const config = container.get(SnippetsTokens.config);
  const files = snippetFiles(config, container.get(Tokens.config).profile === 'embedded');
  const parts = await loadParts(config);
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
  const settings = settingsOf(config);
  const opened = openSnippets(ports, settings, source.value);
  if (opened.isErr()) return err(mistakesIn(files, opened.error));
  const snippets = opened.value;
  const unready = await topicsReady(files, snippets.useCases.current(), container);
  if (unready) return err(unready);
  for (const warning of snippets.useCases.current().config.warnings)
    logger.info('snippet configuration', { file: files?.config, warning: describeMistake(warning) });
  container
    .bind(SnippetsTokens.reload)
    .toConstantValue(reloading(files, source.value, snippets, ports, settings, container));
  container.bind(SnippetsTokens.snippets).toConstantValue(snippets);
  const { current, changed } = snippets.useCases;
  const { retryMs, retriesWaitingMax } = config;
  container.bind(SnippetsTokens.topics).toConstantValue(
    openSnippetTopics(
      {
        store: ports.store,
        clock: ports.clock,
        log: container.get(Tokens.log),
        codecs: { retries: snippetRetryCodec, letters: deadLetterCodec },
        telemetry: container.get(Tokens.telemetry),
        current,
        changed,
      },
      { ...settings, retryMs, retriesWaitingMax },
    ),
  );
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
  store: (config) => storeOf(config, config.snippets),
  module: (config) =>
    new ContainerModule(({ bind }) => {
      bind(SnippetsTokens.config).toConstantValue(config.snippets);
      if (storeOf(config, config.snippets) === 'ydb')
        bind(SnippetsTokens.store)
          .toResolvedValue((client) => ydbSnippetStore(client), [Tokens.ydb])
          .inSingletonScope();
      else
        bind(SnippetsTokens.store)
          .toResolvedValue((pool) => pgSnippetStore(pool), [Tokens.pool])
          .inSingletonScope();
    }),
  prepare: open,
});

import type { TopicSpec } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import type { ContextWiring } from '../context.ts';
import { usesYdb } from '../config/check-stores.ts';
import { authModule } from '../modules/auth.module.ts';
import { fileBlobsModule } from '../modules/blobs.module.ts';
import { downloadsModule } from '../modules/downloads.module.ts';
import { logModules } from '../modules/log.module.ts';
import { postgresModule } from '../modules/postgres.module.ts';
import { spineModule } from '../modules/spine.module.ts';
import { Tokens } from '../tokens.ts';
import { wired } from './assembly.ts';
import { openDatabase, settleSchema } from './database.ts';
import { patiently, type Patience } from './patience.ts';
import type { Part } from './part.ts';
import { startProblem, type StartProblem } from './problem.ts';
import { secretsOf } from './secrets.ts';
import { topicProblem } from './topic-problem.ts';
import { settleLeaseStore } from './settle-lease-store.ts';
import { openYdb } from './ydb.ts';

/** The distinct contexts of the apps. `config` must have been loaded with each of them. */
const contextsOf = (apps: readonly App[], config: Config): readonly ContextWiring[] => {
  const contexts = [...new Set(apps.flatMap((app) => app.contexts ?? []))];
  for (const { name } of contexts)
    if (!(name in config)) throw new Error(`the configuration was loaded without the context ${name}`);
  return contexts;
};

/** The producers and the consumers of a topic both list it. */
const topicsOf = (apps: readonly App[], config: Config): readonly TopicSpec[] => {
  const all = apps.flatMap((app) => app.topics?.(config) ?? []);
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
};

/** A process without topics needs no broker. */
const ensureTopics = async (
  apps: readonly App[],
  config: Config,
  container: Container,
): Promise<Result<void, StartProblem>> => {
  const topics = topicsOf(apps, config);
  if (topics.length === 0) return ok(undefined);
  return (await container.get(Tokens.log).ensureTopics(topics))
    .map(() => undefined)
    .mapErr((error) => topicProblem(error, config));
};

/** Contexts first: an app may use in its `prepare` what its contexts have prepared. */
const prepareAll = async (
  apps: readonly App[],
  contexts: readonly ContextWiring[],
  container: Container,
): Promise<Result<void, StartProblem>> => {
  for (const { name, prepare } of [...contexts, ...apps]) {
    const prepared = await wired(name, () => prepare?.(container));
    if (prepared.isErr()) return err(prepared.error);
    if (prepared.value?.isErr()) return err(prepared.value.error);
  }
  return ok(undefined);
};

/**
 * Opens the databases, brings their schemas up to date, loads all modules, creates the topics and
 * prepares contexts and apps. Returns the parts that keep the embedded database running.
 */
export const compose = async (
  container: Container,
  apps: readonly App[],
  config: Config,
  signal: AbortSignal,
): Promise<Result<readonly Part[], StartProblem>> => {
  const contexts = contextsOf(apps, config);
  const { logger } = container.get(Tokens.telemetry);
  const patience: Patience = {
    clock: container.get(Tokens.clock),
    random: container.get(Tokens.random),
    logger,
    withinMs: config.startWaitMs,
    signal,
  };
  const database = await openDatabase(config, {
    lifecycle: container.get(Tokens.lifecycle),
    clock: container.get(Tokens.clock),
    logger,
  });
  if (database.isErr()) return err(database.error);
  const { url, keepers } = database.value;
  const schema = await patiently(() => settleSchema(config, url, logger), patience);
  if (schema.isErr()) return err(schema.error);
  const secrets = secretsOf(config);
  if (secrets.isErr()) return err(secrets.error);
  const auth = authModule(config, secrets.value);
  if (auth.isErr())
    return err(
      startProblem(
        ...auth.error.violations.map(({ path, message }) => `DOSKA_TOKEN_KEY: ${path}: ${message}`),
      ),
    );
  if (usesYdb(config, contexts)) {
    const ydb = await openYdb(config, container, patience);
    if (ydb.isErr()) return err(ydb.error);
    container.bind(Tokens.ydb).toConstantValue(ydb.value);
  }
  container.load(
    postgresModule(url),
    spineModule(config.store),
    logModules[config.log],
    auth.value,
    fileBlobsModule,
    downloadsModule(config),
    ...contexts.map((context) => context.module(config)),
    ...apps.flatMap((app) => app.modules?.(config) ?? []),
  );
  const settled = await patiently(() => settleLeaseStore(container.get(Tokens.pool), config.store), patience);
  if (settled.isErr()) return err(settled.error);
  const topics = await patiently(() => ensureTopics(apps, config, container), patience);
  if (topics.isErr()) return err(topics.error);
  return (await prepareAll(apps, contexts, container)).map(() => keepers);
};

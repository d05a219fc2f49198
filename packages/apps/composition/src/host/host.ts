import 'reflect-metadata';
import { sleep, type TopicSpec } from '@doska/core/kernel';
import { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import type { App } from '../app.ts';
import type { Config } from '../config/load.ts';
import { authModule } from '../modules/auth.module.ts';
import { catalogModule } from '../modules/catalog.module.ts';
import { fileBlobsModule } from '../modules/blobs.module.ts';
import { downloadsModule } from '../modules/downloads.module.ts';
import { gostModule } from '../modules/gost.module.ts';
import { logModules } from '../modules/log.module.ts';
import { postgresModule } from '../modules/postgres.module.ts';
import { systemModule } from '../modules/system.module.ts';
import { Tokens } from '../tokens.ts';
import { openDatabase, settleSchema } from './database.ts';
import { startProblem, type StartProblem } from './problem.ts';
import { removeRun, writeRun, type Run } from './run-file.ts';
import { secretsOf } from './secrets.ts';
import { openYdb } from './ydb.ts';
import { startServers, type Servers } from './servers.ts';
import type { Part } from './part.ts';
import { Supervisor, type PartStatus } from './supervisor.ts';

export const VERSION = '0.1.0';
const DAY_SEC = 86_400;

export type RunningHost = {
  readonly container: Container;
  readonly run: Run;
  /** Resolves with the part that could not be kept alive; the process should end then. */
  readonly fatal: Promise<PartStatus>;
  /** Intake first, then the work, then what it stands on; within the configured time. Answers who did not finish. */
  stop(): Promise<readonly string[]>;
};

/** A container in which every token of the spine is bound, on a database whose schema is settled and with the apps' topics made. */
const compose = async (
  container: Container,
  apps: readonly App[],
  config: Config,
): Promise<Result<void, StartProblem>> => {
  const { logger } = container.get(Tokens.telemetry);
  const url = await openDatabase(config, container.get(Tokens.lifecycle), logger);
  if (url.isErr()) return err(url.error);
  const schema = await settleSchema(config, url.value, logger);
  if (schema.isErr()) return err(schema.error);
  const auth = authModule(config, secretsOf(config));
  if (auth.isErr())
    return err(
      startProblem(
        ...auth.error.violations.map(({ path, message }) => `DOSKA_TOKEN_KEY: ${path}: ${message}`),
      ),
    );
  const ydb = await openYdb(config, container);
  if (ydb.isErr()) return err(ydb.error);
  const own = apps.flatMap((app) => app.modules?.(config) ?? []);
  container.load(
    postgresModule(url.value),
    logModules[config.log],
    auth.value,
    fileBlobsModule,
    downloadsModule(config),
    catalogModule(config),
    gostModule(config, ydb.value),
    ...own,
  );
  const topics = await container.get(Tokens.log).ensureTopics(topicsOf(apps, config));
  if (topics.isErr()) return err(startProblem(`topics: ${JSON.stringify(topics.error)}`));
  for (const app of apps) {
    const prepared = await app.prepare?.(container);
    if (prepared?.isErr()) return err(prepared.error);
  }
  return ok(undefined);
};

const firstOfName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
  all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
/** Both ends of a topic name it. */
const topicsOf = (apps: readonly App[], config: Config): readonly TopicSpec[] =>
  firstOfName(apps.flatMap((app) => app.topics?.(config) ?? []));
/** In the order of the apps; of several with one name, the first. */
const partsOf = (apps: readonly App[], container: Container): readonly Part[] => {
  return firstOfName(apps.flatMap((app) => app.parts?.(container) ?? []));
};

/** Writes down where the platform is; in the embedded profile with a token that lets its owner in. */
const announce = async (config: Config, container: Container, { http, grpc }: Servers): Promise<Run> => {
  const roles = [{ name: 'operator' }, { name: 'service' }] as const;
  const token =
    config.profile === 'embedded'
      ? await container.get(Tokens.issueToken)({ subject: 'development', roles, ttlSec: 30 * DAY_SEC })
      : undefined;
  const run: Run = {
    ...{ pid: process.pid, startedAtMs: Date.now() },
    ...{ httpUrl: `http://${http.host}:${http.port}`, grpcAddress: `${grpc.host}:${grpc.port}` },
    ...(token?.isOk() ? { token: token.value } : {}),
  };
  writeRun(config.dataDir, run);
  return run;
};

/** Brings up what everything stands on, then the apps' parts, then the servers. What fails takes down what was begun. */
export const startHost = async (
  name: string,
  apps: readonly App[],
  config: Config,
): Promise<Result<RunningHost, StartProblem>> => {
  const container = new Container();
  container.load(systemModule(config, name));
  const [telemetry, lifecycle, clock] = [
    container.get(Tokens.telemetry),
    container.get(Tokens.lifecycle),
    container.get(Tokens.clock),
  ];
  const { logger } = telemetry;
  lifecycle.add('telemetry', () => telemetry.stop());

  const composed = await compose(container, apps, config);
  if (composed.isErr()) {
    await lifecycle.close(logger);
    return err(composed.error);
  }
  let onFatal: (part: PartStatus) => void = () => {};
  const fatal = new Promise<PartStatus>((resolve) => (onFatal = resolve));
  const supervisor = new Supervisor({ clock, random: container.get(Tokens.random), logger, onFatal });
  const platform = {
    version: VERSION,
    profile: config.profile,
    startedAtMs: clock.nowMs(),
    members: [container.get(Tokens.ids).next()],
  };
  container.bind(Tokens.selfStatus).toConstantValue(() => ({
    platform,
    workers: supervisor
      .status()
      .map(({ lastError, ...part }) => ({ ...part, ...(lastError === undefined ? {} : { lastError }) })),
  }));
  await supervisor.start(partsOf(apps, container));
  const servers = await startServers(config, apps, container, () => supervisor.status());
  if (servers.isErr()) {
    await supervisor.stop(config.stopMs);
    await lifecycle.close(logger);
    return err(servers.error);
  }
  const run = await announce(config, container, servers.value);

  const stop = async (): Promise<readonly string[]> => {
    const untilMs = clock.nowMs() + config.stopMs;
    const leftMs = (): number => Math.max(0, untilMs - clock.nowMs());
    removeRun(config.dataDir);
    await servers.value.stop(leftMs());
    const late = await supervisor.stop(leftMs());
    const patience = new AbortController();
    // The database's own shutdown gets a little more: cutting it off would cost a recovery.
    await Promise.race([lifecycle.close(logger), sleep(clock, leftMs() + 2_000, patience.signal)]);
    patience.abort();
    return late;
  };
  let stopped: Promise<readonly string[]> | undefined;
  return ok({ container, run, fatal, stop: () => (stopped ??= stop()) });
};

import 'reflect-metadata';
import { hostname } from 'node:os';
import type { WorkerStatus } from '@doska/adapters-grpc';
import { sleep, type Clock } from '@doska/core/kernel';
import { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { systemModule } from '../modules/system.module.ts';
import { Tokens } from '../tokens.ts';
import { assemble } from './assembly.ts';
import { compose } from './compose.ts';
import type { StartProblem } from './problem.ts';
import { announceProcess } from './process-record.ts';
import { removeRun, writeRun, type Run } from './run-file.ts';
import { startServers, type Servers } from './servers.ts';
import { Supervisor, type PartStatus } from './supervisor.ts';
import { VERSION } from './version.ts';

const DAY_SEC = 86_400;
/** How long a stop waits for the storage that holds the record of this process. */
const RECORD_MS = 1_000;

/** Waits for the work, but not longer than this. */
const within = async (clock: Clock, ms: number, work: Promise<void>): Promise<void> => {
  const patience = new AbortController();
  await Promise.race([work, sleep(clock, ms, patience.signal)]);
  patience.abort();
};

export type RunningHost = {
  readonly container: Container;
  readonly run: Run;
  /** Resolves with a part that keeps failing. The process must end then. */
  readonly fatal: Promise<PartStatus>;
  /** Stops the servers, then the parts, then closes the connections. Returns the parts that missed the deadline. */
  stop(): Promise<readonly string[]>;
};

/** Writes the addresses to `run.json`. In the embedded profile it also writes a development token. */
const announce = async (config: Config, container: Container, { http, grpc }: Servers): Promise<Run> => {
  const roles = [{ name: 'operator' }, { name: 'service' }] as const;
  const token =
    config.profile === 'embedded'
      ? await container.get(Tokens.issueToken)({ subject: 'development', roles, ttlSec: 30 * DAY_SEC })
      : undefined;
  const run: Run = {
    pid: process.pid,
    startedAtMs: Date.now(),
    httpUrl: `http://${http.host}:${http.port}`,
    grpcAddress: `${grpc.host}:${grpc.port}`,
    ...(token?.isOk() ? { token: token.value } : {}),
  };
  const other = writeRun(config.dataDir, run);
  if (other !== undefined)
    container
      .get(Tokens.telemetry)
      .logger.info('run.json belongs to another process and stays as it is', { pid: other.pid });
  return run;
};

/**
 * Starts the apps in this process: databases and topics, then the parts, then the servers. Everything that runs is built
 * before the first part starts, so a wiring mistake starts nothing. A failed start closes what it has opened.
 */
export const startHost = async (
  name: string,
  apps: readonly App[],
  config: Config,
  /** An abort ends the wait for a database or a broker. */
  signal: AbortSignal = new AbortController().signal,
): Promise<Result<RunningHost, StartProblem>> => {
  const container = new Container();
  container.load(systemModule(config, name));
  const telemetry = container.get(Tokens.telemetry);
  const lifecycle = container.get(Tokens.lifecycle);
  const clock = container.get(Tokens.clock);
  const { logger } = telemetry;
  lifecycle.add('telemetry', () => telemetry.stop());

  const composed = await compose(container, apps, config, signal);
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
    members: [container.get(Tokens.ids).next()] as const,
  };
  const workers = (): WorkerStatus[] =>
    supervisor
      .status()
      .map(({ lastError, ...part }) => ({ ...part, ...(lastError === undefined ? {} : { lastError }) }));
  container.bind(Tokens.selfStatus).toConstantValue(() => ({
    platform,
    workers: workers(),
    process: {
      id: platform.members[0],
      apps: apps.map((app) => app.name),
      version: VERSION,
      host: hostname(),
      pid: process.pid,
      startedAtMs: platform.startedAtMs,
      workers: workers(),
      blocked: [...container.get(Tokens.blockedPartitions).list()],
    },
  }));
  const assembly = await assemble(apps, container);
  if (assembly.isErr()) {
    await lifecycle.close(logger);
    return err(assembly.error);
  }
  await supervisor.start([...composed.value, ...assembly.value.parts]);
  const servers = await startServers(config, assembly.value, container, () => supervisor.status());
  if (servers.isErr()) {
    await supervisor.stop(config.stopMs);
    await lifecycle.close(logger);
    return err(servers.error);
  }
  const run = await announce(config, container, servers.value);
  let isDead = false;
  void fatal.then(() => (isDead = true));
  const announced = announceProcess({
    storage: container.get(Tokens.storage),
    clock,
    everyMs: config.processBeatMs,
    keepMs: config.processKeepMs,
    describe: () => container.get(Tokens.selfStatus)().process,
  });

  const stop = async (): Promise<readonly string[]> => {
    const untilMs = clock.nowMs() + config.stopMs;
    const leftMs = (): number => Math.max(0, untilMs - clock.nowMs());
    removeRun(config.dataDir);
    await servers.value.stop(leftMs());
    // Before the parts stop: a process that died keeps the states that it died with.
    await within(clock, RECORD_MS, announced.stop({ keep: isDead }));
    const late = await supervisor.stop(leftMs());
    // The embedded database gets two seconds more: a killed server needs a recovery at the next start.
    await within(clock, leftMs() + 2_000, lifecycle.close(logger));
    return late;
  };
  let stopped: Promise<readonly string[]> | undefined;
  return ok({ container, run, fatal, stop: () => (stopped ??= stop()) });
};

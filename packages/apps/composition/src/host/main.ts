import { resolve } from 'node:path';
import { ok } from 'neverthrow';
import type { App } from '../app.ts';
import type { Config } from '../config/config.ts';
import { settingsHelp } from '../config/help.ts';
import { loadConfig } from '../config/load.ts';
import type { ContextWiring } from '../context.ts';
import { lockPlatform, openDataDir, unlockPlatform } from './data-dir.ts';
import { startHost, type RunningHost } from './host.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (lines: readonly string[]): void =>
  lines.forEach((line) => process.stderr.write(`doska: ${line}\n`));
/** Exit codes of sysexits.h: EX_CONFIG, EX_UNAVAILABLE, EX_SOFTWARE. */
const EXIT = { config: 78, start: 69, died: 70 } as const;

const usage = (name: string, apps: readonly App[], contexts: readonly ContextWiring[]): string =>
  [
    `${name}: runs ${apps.map((app) => app.name).join(', ')} in one process.`,
    '',
    ...apps.map((app) => `  ${app.name.padEnd(18)}${app.summary}`),
    '',
    'Settings come from the environment or from a JSON file named by DOSKA_CONFIG. [] shows the default.',
    '',
    settingsHelp(contexts),
  ].join('\n');

/**
 * Aborts at the first signal. Listens from the beginning: a signal during the start ends its waits and stops the process
 * after the start. A second signal changes nothing.
 */
const stopSignal = (): AbortSignal => {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  return stopping.signal;
};
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

const untilStopped = async (host: RunningHost, stopping: AbortSignal): Promise<number> => {
  const dead = await Promise.race([aborted(stopping), host.fatal]);
  if (dead) complain([`${dead.name} keeps failing (${dead.lastError}); stopping`]);
  const late = await host.stop();
  if (late.length > 0) complain([`did not stop within DOSKA_STOP_MS: ${late.join(', ')}`]);
  return dead ? EXIT.died : 0;
};

export type MainOptions = {
  readonly name: string;
  readonly apps: readonly App[];
  /** Every context of the platform: an app that runs alone accepts the settings of all of them. */
  readonly contexts: readonly ContextWiring[];
  readonly args: readonly string[];
  /** This process is the whole platform. On an embedded database there may be only one of it. */
  readonly isWhole: boolean;
  /** The lines that are printed after a successful start. */
  readonly welcome: (host: RunningHost) => readonly string[];
};

const runHost = async (
  { name, apps, welcome }: MainOptions,
  config: Config,
  stopping: AbortSignal,
): Promise<number> => {
  const host = await startHost(name, apps, config, stopping);
  if (host.isErr()) {
    // It was told to stop while it waited for a service.
    if (stopping.aborted && host.error.passes) return 0;
    complain(host.error.lines);
    return EXIT.start;
  }
  welcome(host.value).forEach(say);
  return untilStopped(host.value, stopping);
};

/** Runs a process from its configuration to its stop. Returns the exit code. */
export const runMain = async (options: MainOptions): Promise<number> => {
  const { name, apps, contexts, args, isWhole } = options;
  if (args.includes('--help')) {
    say(usage(name, apps, contexts));
    return 0;
  }
  const unknown = args.filter((arg) => arg !== '--help');
  if (unknown.length > 0) {
    complain([`unknown argument: ${unknown.join(' ')} (see --help)`]);
    return 64;
  }
  const stopping = stopSignal();
  const loaded = loadConfig(process.env, contexts);
  if (loaded.isErr()) {
    complain(loaded.error.lines);
    return EXIT.config;
  }
  const config = { ...loaded.value.config, dataDir: resolve(loaded.value.config.dataDir) };
  complain(loaded.value.warnings);
  const isExclusive = isWhole && config.databaseUrl === undefined;
  const folder = openDataDir(config.dataDir).andThen(() =>
    isExclusive ? lockPlatform(config.dataDir) : ok(undefined),
  );
  if (folder.isErr()) {
    complain(folder.error.lines);
    return EXIT.start;
  }
  try {
    return await runHost(options, config, stopping);
  } finally {
    if (isExclusive) unlockPlatform(config.dataDir);
  }
};

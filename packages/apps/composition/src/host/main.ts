import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { settingsHelp } from '../config/help.ts';
import { loadConfig } from '../config/load.ts';
import { startHost, type RunningHost } from './host.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (lines: readonly string[]): void =>
  lines.forEach((line) => process.stderr.write(`doska: ${line}\n`));
/** As sysexits has them: the configuration is wrong; it can't run here. */
const EXIT = { config: 78, start: 69, died: 70 } as const;

const usage = (name: string, apps: readonly App[]): string =>
  [
    `${name}: runs ${apps.map((app) => app.name).join(', ')} in one process.`,
    '',
    ...apps.map((app) => `  ${app.name.padEnd(18)}${app.summary}`),
    '',
    'Settings (environment, or a JSON file named by DOSKA_CONFIG):',
    settingsHelp(),
  ].join('\n');

/** Heard from the first moment on: a signal in the midst of a start stops what has been started. A second one changes nothing. */
const stopSignal = (): Promise<void> =>
  new Promise((told) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => told());
  });

const untilStopped = async (host: RunningHost, told: Promise<void>): Promise<number> => {
  const dead = await Promise.race([told, host.fatal]);
  if (dead) complain([`${dead.name} can't be kept alive (${dead.lastError}); stopping`]);
  const late = await host.stop();
  if (late.length > 0) complain([`cut off after the stop's deadline: ${late.join(', ')}`]);
  return dead ? EXIT.died : 0;
};

/** The whole life of a process: configuration, start, the wait for a signal, the stop. Answers the exit code. */
export const runMain = async (
  name: string,
  apps: readonly App[],
  args: readonly string[],
  welcome: (host: RunningHost) => readonly string[],
): Promise<number> => {
  if (args.includes('--help')) {
    say(usage(name, apps));
    return 0;
  }
  const unknown = args.filter((arg) => arg !== '--help');
  if (unknown.length > 0) {
    complain([`unknown argument: ${unknown.join(' ')} (see --help)`]);
    return 64;
  }
  const told = stopSignal();
  const loaded = loadConfig(process.env);
  if (loaded.isErr()) {
    complain(loaded.error.lines);
    return EXIT.config;
  }
  const config = { ...loaded.value.config, dataDir: resolve(loaded.value.config.dataDir) };
  complain(loaded.value.warnings);
  mkdirSync(config.dataDir, { recursive: true });
  const host = await startHost(name, apps, config);
  if (host.isErr()) {
    complain(host.error.lines);
    return EXIT.start;
  }
  welcome(host.value).forEach(say);
  return untilStopped(host.value, told);
};

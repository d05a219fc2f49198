import { existsSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from 'neverthrow';
import type { Binaries } from './binaries.ts';
import type { Home } from './folders.ts';
import { adoptGuarded, launchGuarded, type Guardian } from './guardian.ts';
import { forgetOwner, ownership, writeOwner } from './owner.ts';
import { answers, livePostmaster, urlOf } from './postmaster.ts';
import { problem, type EmbeddedProblem } from './problem.ts';
import { ended, identify, isAlive, type ProcessIdentity } from './process-identity.ts';
import type { ServerUser } from './server-user.ts';
import { commandLine, type Settings } from './settings.ts';

export type EmbeddedPostgres = {
  readonly url: string;
  readonly port: number;
  /** The data directory of PostgreSQL; outside of the given folder if that is closed to the server's user. */
  readonly dataDir: string;
  /** True if this process started or adopted the server and stops it; otherwise it only connects. */
  readonly owned: boolean;
  /** False after the server has ended, for example by kill -9. */
  isRunning(): boolean;
  /** Stops an owned server and waits for its end; does nothing for a server of another process. May be called twice. */
  stop(): Promise<void>;
};

const STOP_MS = 30_000;
const PORT_TRIES = 5;

const connectOnly = (home: Home, port: number, server: ProcessIdentity): EmbeddedPostgres => ({
  url: urlOf(home, port),
  port,
  dataDir: home.cluster,
  owned: false,
  isRunning: () => isAlive(server),
  stop: () => Promise.resolve(),
});

const own = (home: Home, port: number, guardian: Guardian, server: ProcessIdentity): EmbeddedPostgres => {
  writeOwner(home, guardian.pid);
  const watcher = guardian.pid === undefined ? undefined : identify(guardian.pid);
  const end = async (): Promise<void> => {
    guardian.release();
    // A server that hangs in its fast shutdown is killed; it recovers at the next start.
    if (!(await ended(server, STOP_MS))) process.kill(server.pid, 'SIGQUIT');
    await ended(server, 5_000);
    // The guardian has nothing left to wait for. Afterwards no process of this package is left.
    if (watcher !== undefined) await ended(watcher, 5_000);
    forgetOwner(home);
  };
  let ending: Promise<void> | undefined;
  return { ...connectOnly(home, port, server), owned: true, stop: () => (ending ??= end()) };
};

/** The server that already runs on this data: use it, adopt it if its owner is dead, or wait for it if it is stopping. */
export const reuseServer = async (
  home: Home,
  user: ServerUser,
  until: number,
): Promise<EmbeddedPostgres | undefined> => {
  for (
    let live = livePostmaster(home);
    live !== undefined && Date.now() < until;
    live = livePostmaster(home)
  ) {
    const state = ownership(home);
    if (state !== 'stopping' && live.status === 'ready' && (await answers(home, live.port))) {
      if (state === 'held') return connectOnly(home, live.port, live.process);
      return own(home, live.port, adoptGuarded(home, live.process, user), live.process);
    }
    await pause(25);
  }
  return undefined;
};

export type Launch = {
  readonly home: Home;
  readonly binaries: Binaries;
  readonly user: ServerUser;
  readonly settings: Settings;
  readonly until: number;
};

const launchOn = async (port: number, what: Launch): Promise<Result<EmbeddedPostgres, EmbeddedProblem>> => {
  const { home, binaries, user, settings, until } = what;
  const logFrom = existsSync(home.log) ? statSync(home.log).size : 0;
  const guardian = launchGuarded(
    home,
    [binaries.postgres, ...commandLine(home.cluster, port, settings)],
    user,
  );
  let over = false;
  void guardian.exited.then(() => (over = true));
  for (; !over && Date.now() < until; await pause(10)) {
    const live = livePostmaster(home);
    if (live?.port !== port || live.status !== 'ready') continue;
    if (await answers(home, port)) return ok(own(home, port, guardian, live.process));
  }
  guardian.release();
  const said = readFileSync(home.log).subarray(logFrom).toString().trim().split('\n').slice(-6).join(' | ');
  return over
    ? err(problem('ServerFailed', `the server on ${home.cluster} did not start: ${said}. Its data was kept.`))
    : err(problem('TooSlow', `the server on ${home.cluster} did not answer in time: ${said}.`));
};

const isPortTaken = ({ message }: EmbeddedProblem): boolean => message.includes('Address already in use');

/** Another program may take the chosen port before PostgreSQL does: then the next one is tried. */
export const launchServer = async (
  what: Launch,
  choosePort: () => Promise<number>,
): Promise<Result<EmbeddedPostgres, EmbeddedProblem>> => {
  for (let tries = 1; ; tries++) {
    const started = await launchOn(await choosePort(), what);
    if (started.isOk() || tries === PORT_TRIES || !isPortTaken(started.error)) return started;
  }
};

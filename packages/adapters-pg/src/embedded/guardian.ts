import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './folders.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { lent, type ServerUser } from './server-user.ts';

/**
 * A shell that waits on a pipe which only this process holds open. When this process ends (also by kill -9), the system
 * closes the pipe and the shell asks PostgreSQL for a fast shutdown. It needs only sh.
 */
export type Guardian = {
  readonly pid: number | undefined;
  /** Resolves with the server's exit code if the server ends before this process. Never resolves for an adopted server. */
  readonly exited: Promise<number | null>;
  /** Closes the pipe, so that the server shuts down. */
  release(): void;
};

/** Starts the server as a child of the shell: the system does not reuse its pid before the shell has waited for it. */
const LAUNCH = `exec 4<&0
"$@" 4<&- &
server=$!
{ read -r _ <&4; kill -INT $server 2>/dev/null; } &
watch=$!
wait $server
code=$?
kill $watch 2>/dev/null
exit $code`;

/** For a server without a guardian: compares the pid with postmaster.pid before it sends a signal. */
const ADOPT = `read -r _
[ "$(head -n 1 "$2" 2>/dev/null)" = "$1" ] && kill -INT "$1"`;

const guard = (child: ChildProcess): Guardian => {
  const exited = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => resolve(code));
    child.on('error', () => resolve(null));
  });
  child.stdin?.on('error', () => {}); // the shell may end before this process
  // The server alone must not keep this process running.
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return { pid: child.pid, exited, release: () => void child.stdin?.end() };
};

const options = (user: ServerUser, out: number | 'ignore') =>
  ({
    cwd: '/',
    // In its own session: Ctrl-C in the terminal reaches only this process, which stops the server after its own work.
    detached: true,
    stdio: ['pipe', out, out] as ['pipe', number | 'ignore', number | 'ignore'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    ...lent(user),
  }) as const;

export const launchGuarded = (home: Home, command: readonly string[], user: ServerUser): Guardian => {
  const log = openSync(
    home.log,
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    return guard(spawn('/bin/sh', ['-c', LAUNCH, 'doska-guardian', ...command], options(user, log)));
  } finally {
    closeSync(log);
  }
};

export const adoptGuarded = (home: Home, server: ProcessIdentity, user: ServerUser): Guardian => {
  const note = join(home.cluster, 'postmaster.pid');
  return guard(
    spawn('/bin/sh', ['-c', ADOPT, 'doska-guardian', String(server.pid), note], options(user, 'ignore')),
  );
};

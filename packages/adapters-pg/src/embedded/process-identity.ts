import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** A pid may be reused by another process; a pid with its start time is unique. */
export type ProcessIdentity = { readonly pid: number; readonly started: string };

const fromProc = (pid: number): string | undefined => {
  try {
    // The name in brackets may contain brackets and spaces, so the fields are counted after the last bracket.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A zombie has ended; only its parent has not asked for its exit code.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
};

const fromPs = (pid: number): string | undefined => {
  const { stdout } = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = (stdout ?? '').trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
};

/** When the process started, in the notation of the system; undefined if no such process runs. */
export const startOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? fromProc(pid) : fromPs(pid);

export const identify = (pid: number): ProcessIdentity | undefined => {
  const started = startOf(pid);
  return started === undefined ? undefined : { pid, started };
};

export const isAlive = ({ pid, started }: ProcessIdentity): boolean => startOf(pid) === started;

/** Waits for the process to end; false if it still runs after `deadlineMs`. */
export const ended = async (which: ProcessIdentity, deadlineMs: number): Promise<boolean> => {
  for (const until = Date.now() + deadlineMs; Date.now() < until; await pause(10)) {
    if (!isAlive(which)) return true;
  }
  return !isAlive(which);
};

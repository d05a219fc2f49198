import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A pid alone may be reused by a stranger; together with its start and boot it names exactly one process. */
export type ProcessIdentity = { readonly pid: number; readonly started: string };

const fromProc = (pid: number): string | undefined => {
  try {
    // The name in brackets may hold anything, also brackets and spaces: the fields are counted after the last one.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A zombie has ended; it only waits for a parent that never asks.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
};

const fromPs = (pid: number): string | undefined => {
  const { stdout } = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const line = (stdout ?? '').trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
};

const startOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? fromProc(pid) : fromPs(pid);

export const ourselves = (): ProcessIdentity => ({ pid: process.pid, started: startOf(process.pid) ?? '' });
export const isAlive = ({ pid, started }: ProcessIdentity): boolean => startOf(pid) === started;

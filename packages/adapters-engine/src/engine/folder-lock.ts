import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { isAlive, ourselves, type ProcessIdentity } from './process-identity.ts';

/** Another engine, of this process or of another one that is alive, owns the folder. */
export type FolderInUse = { readonly kind: 'FolderInUse'; readonly folder: string; readonly pid: number };
export type FolderLock = {
  /** The folder may be opened again. Releasing twice is releasing once. */
  release(): void;
};

const NAME = /^lock-(\d{1,15})$/;
const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';

const numbersIn = (folder: string): readonly number[] =>
  readdirSync(folder)
    .map((file) => Number(NAME.exec(file)?.[1] ?? 0))
    .filter((number) => number > 0)
    .sort((a, b) => b - a);

/** Undefined: the lock is free. A lock is never seen half written, and an empty one was released. */
const holderOf = (file: string): ProcessIdentity | undefined => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
  try {
    const holder = JSON.parse(text) as ProcessIdentity;
    return isAlive(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
};

/** Writes the whole file under its name; false: another process has that name. */
const writeNew = (folder: string, name: string, text: string): boolean => {
  const draft = join(folder, `${name}.${randomUUID()}`);
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    linkSync(draft, join(folder, name));
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
};

const lockOf = (folder: string, number: number): FolderLock => {
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      try {
        truncateSync(join(folder, `lock-${number}`)); // takes no space on a full disk
      } catch (cause) {
        if (codeOf(cause) !== 'ENOENT') throw cause; // the folder is gone, and the lock with it
      }
    },
  };
};

/**
 * One owner a folder, for processes that see each other's pids. The lock with the highest number counts: whoever finds
 * its holder dead makes the next one, which only one of several can, and only then removes those below. A number is
 * never free again while it counts (a lock that is released stays as a file), so whoever was slow and makes a number
 * that was in use before sees a higher one and steps back. A process that was killed is taken over from at once.
 */
export const lockFolder = (folder: string): Result<FolderLock, FolderInUse> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const us = JSON.stringify(ourselves());
  for (;;) {
    const [highest = 0] = numbersIn(folder);
    const holder = highest === 0 ? undefined : holderOf(join(folder, `lock-${highest}`));
    if (holder) return err({ kind: 'FolderInUse', folder, pid: holder.pid });
    const number = highest + 1;
    if (!writeNew(folder, `lock-${number}`, us)) continue;
    const numbers = numbersIn(folder);
    if (numbers[0] !== number) {
      rmSync(join(folder, `lock-${number}`), { force: true });
      continue;
    }
    for (const older of numbers.slice(1)) rmSync(join(folder, `lock-${older}`), { force: true });
    return ok(lockOf(folder, number));
  }
};

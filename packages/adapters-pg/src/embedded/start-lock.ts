import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { err, type Result } from 'neverthrow';
import { codeOf, problem, type EmbeddedProblem } from './problem.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const holderOf = (file: string): { text: string; holder: ProcessIdentity } | undefined => {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, holder: JSON.parse(text) as ProcessIdentity };
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
};

/** Moves the lock of a dead process away. A process that moved the lock of a faster rival puts it back. */
const breakStale = (file: string, text: string): void => {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, file);
  } catch (cause) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(cause))) throw cause;
  }
  rmSync(aside, { force: true });
};

const tryLock = (file: string, us: string): boolean => {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, us, { mode: 0o600 });
  try {
    linkSync(draft, file); // atomic: no reader sees a partial file
    return true;
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    return false;
  } finally {
    rmSync(draft);
  }
};

/**
 * Only one process at a time starts a server in a folder; the others wait and find a live server. postmaster.pid guards
 * the data; this lock only avoids useless starts.
 */
export const withStartLock = async <T>(
  folder: string,
  waitMs: number,
  work: () => Promise<Result<T, EmbeddedProblem>>,
): Promise<Result<T, EmbeddedProblem>> => {
  const file = join(folder, 'start.lock');
  const us = JSON.stringify({
    ...(identify(process.pid) ?? { pid: process.pid, started: '' }),
    nonce: randomUUID(),
  });
  for (const until = Date.now() + waitMs; !tryLock(file, us);) {
    const found = holderOf(file);
    if (found === undefined) continue;
    if (!isAlive(found.holder)) breakStale(file, found.text);
    else if (Date.now() > until) {
      return err(
        problem('TooSlow', `process ${found.holder.pid} has been starting it in ${folder} for too long.`),
      );
    } else await pause(20);
  }
  try {
    return await work();
  } finally {
    if (holderOf(file)?.text === us) rmSync(file, { force: true });
  }
};

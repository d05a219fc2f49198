import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { identify, isAlive } from '@doska/adapters-pg/embedded';

/** A file of JSON with these fields belongs to the process that made it, until that process ends. */
export type Owner = { readonly pid: number; readonly processStarted: string };

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException).code;
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
};

export const thisProcess = (): Owner => {
  const { pid, started } = identify(process.pid) ?? { pid: process.pid, started: '' };
  return { pid, processStarted: started };
};

/** The live process that a file names; undefined if it names none. */
export const liveOwner = (text: string): Owner | undefined => {
  try {
    const { pid, processStarted } = JSON.parse(text) as Owner;
    if (typeof processStarted !== 'string') return undefined;
    return isAlive({ pid, started: processStarted }) ? { pid, processStarted } : undefined;
  } catch {
    return undefined; // damaged, so it names no process
  }
};

const isOurs = ({ pid, processStarted }: Owner): boolean => {
  const us = thisProcess();
  return pid === us.pid && processStarted === us.processStarted;
};

/** Moves a file away that no live process owns. A process that moved the file of a faster rival puts it back. */
const breakStale = (path: string, text: string): void => {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, path);
  } catch (cause) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(cause) ?? '')) throw cause;
  }
  rmSync(aside, { force: true });
};

/** Creates the file if it does not exist, for its owner only. The text appears as a whole. */
export const createPrivately = (path: string, text: string): boolean => {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    return false;
  } finally {
    rmSync(draft);
  }
};

/** Makes the file ours. Returns the live process that owns it already, and then changes nothing. */
export const claimFile = (path: string, content: object): Owner | undefined => {
  const text = `${JSON.stringify({ ...content, ...thisProcess() }, null, 2)}\n`;
  while (!createPrivately(path, text)) {
    const found = textOf(path);
    if (found === undefined) continue;
    const owner = liveOwner(found);
    if (owner !== undefined && !isOurs(owner)) return owner;
    breakStale(path, found);
  }
  return undefined;
};

/** Removes the file if this process owns it. */
export const releaseFile = (path: string): void => {
  const owner = liveOwner(textOf(path) ?? '');
  if (owner !== undefined && isOurs(owner)) rmSync(path, { force: true });
};

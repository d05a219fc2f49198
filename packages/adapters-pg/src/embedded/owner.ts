import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './folders.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** The process that started the server and will stop it, and the guardian that stops it if the owner is killed. */
export type Owner = { readonly owner: ProcessIdentity; readonly guardian: ProcessIdentity | null };

const fileOf = (home: Home): string => join(home.dir, 'owner.json');

export const writeOwner = (home: Home, guardianPid: number | undefined): void => {
  const owner = identify(process.pid) ?? { pid: process.pid, started: '' };
  const guardian = guardianPid === undefined ? null : (identify(guardianPid) ?? null);
  const draft = `${fileOf(home)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ owner, guardian } satisfies Owner), { mode: 0o600 });
  renameSync(draft, fileOf(home));
};

export const forgetOwner = (home: Home): void => rmSync(fileOf(home), { force: true });

/** `stopping`: the owner is dead and its guardian alive, so the server is about to stop. `orphaned`: both are dead. */
export const ownership = (home: Home): 'held' | 'stopping' | 'orphaned' => {
  let noted: Owner;
  try {
    noted = JSON.parse(readFileSync(fileOf(home), 'utf8')) as Owner;
  } catch {
    return 'orphaned';
  }
  if (isAlive(noted.owner)) return 'held';
  return noted.guardian !== null && isAlive(noted.guardian) ? 'stopping' : 'orphaned';
};

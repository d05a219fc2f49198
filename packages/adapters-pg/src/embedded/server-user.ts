import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The user that the server runs as. PostgreSQL refuses root, so as root the server gets the ids of another user. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly isUs: boolean };

/** The user `nobody` on Linux: it exists nearly everywhere and owns nothing. */
const NOBODY = 65534;

const ourUid = (): number => process.getuid?.() ?? 0;
export const isRoot = (): boolean => process.getuid?.() === 0;

/** As root: the owner of existing data stays its owner; new data belongs to `nobody`. */
export const serverUser = (clusterDir: string): ServerUser => {
  if (!isRoot()) return { uid: ourUid(), gid: process.getgid?.() ?? 0, isUs: true };
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, isUs: false };
  return { uid: NOBODY, gid: NOBODY, isUs: false };
};

/** Spawn options with the user's ids; empty for the current user, because only root may set any. */
export const lent = (user: ServerUser): { uid?: number; gid?: number } =>
  user.isUs ? {} : { uid: user.uid, gid: user.gid };

const mayEnter = (folder: string, { uid, gid }: ServerUser): boolean => {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return true; // it does not exist yet: the process that creates it opens it
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
  return (stat.mode & bit) !== 0;
};

/** False if a parent folder is closed to the server's user, for example a project under /root. */
export const canReach = (path: string, user: ServerUser): boolean => {
  if (user.isUs) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (!mayEnter(folder, user)) return false;
    if (folder === dirname(folder)) return true;
  }
};

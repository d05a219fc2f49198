import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Whom the server runs as. PostgreSQL refuses root; root itself is always lent the ids of somebody else. */
export type ServerUser = { readonly uid: number; readonly gid: number; readonly isUs: boolean };

/** `nobody` on Linux: exists nearly everywhere, owns nothing. */
const NOBODY = 65534;

const ourUid = (): number => process.getuid?.() ?? 0;
export const isRoot = (): boolean => process.getuid?.() === 0;

/** As root the owner of existing data goes on owning it; new data belongs to `nobody`. */
export const serverUser = (clusterDir: string): ServerUser => {
  if (!isRoot()) return { uid: ourUid(), gid: process.getgid?.() ?? 0, isUs: true };
  const owner = statSync(clusterDir, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, isUs: false };
  return { uid: NOBODY, gid: NOBODY, isUs: false };
};

/** Spawn options that lend the ids; empty for ourselves, because only root may ask for any. */
export const lent = (user: ServerUser): { uid?: number; gid?: number } =>
  user.isUs ? {} : { uid: user.uid, gid: user.gid };

const mayEnter = (folder: string, { uid, gid }: ServerUser): boolean => {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return true; // not made yet: whoever makes it opens it
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
  return (stat.mode & bit) !== 0;
};

/** False when a folder on the way is closed to the server's user: a project under /root is, for everybody but root. */
export const canReach = (path: string, user: ServerUser): boolean => {
  if (user.isUs) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (!mayEnter(folder, user)) return false;
    if (folder === dirname(folder)) return true;
  }
};

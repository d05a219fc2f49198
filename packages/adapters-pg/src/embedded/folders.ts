import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, accessSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { codeOf, problem, type EmbeddedProblem } from './problem.ts';
import { canReach, isRoot, serverUser } from './server-user.ts';

/** The paths of one embedded server. `cluster` is the data directory of PostgreSQL. */
export type Home = {
  readonly dir: string;
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
};

const homeAt = (dir: string): Home => ({
  dir,
  cluster: join(dir, 'cluster'),
  password: join(dir, 'password'),
  log: join(dir, 'server.log'),
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Resolves symbolic links as far as the path exists: the permissions of the real folders count. */
const real = (path: string): string => {
  const full = resolve(path);
  if (existsSync(full) || full === dirname(full)) return realpathSync(full);
  return join(real(dirname(full)), full.slice(dirname(full).length));
};

/** Other users may pass through root's folder (the server's user must) but not list it; an ordinary user's folder is closed. */
const OURS = (): number => (isRoot() ? 0o711 : 0o700);

const makeOurs = (dir: string): void => {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, OURS());
};

/**
 * The folder that is used if the project's own is read-only or closed to the server's user. It is in a place where every
 * user may create files, hence the checks: another user may have created it first, or made it a link.
 */
export const spareFolder = (projectRoot: string, spareRoot: string): Result<string, EmbeddedProblem> => {
  const uid = process.getuid?.() ?? 0;
  const dir = join(spareRoot, `doska-${hash(`${uid}:${real(projectRoot)}`)}`);
  try {
    mkdirSync(dir, { mode: OURS() });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') return err(problem('FolderNotOurs', `${dir} can't be created.`, cause));
  }
  const stat = lstatSync(dir);
  if (!stat.isDirectory()) return err(problem('FolderNotOurs', `${dir} is not a plain folder; remove it.`));
  if (stat.uid !== uid) {
    return err(
      problem('FolderNotOurs', `${dir} belongs to user ${stat.uid}, not to this user (${uid}); remove it.`),
    );
  }
  chmodSync(dir, OURS());
  return ok(dir);
};

const canMake = (dir: string): boolean => {
  try {
    makeOurs(dir);
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** The paths of the server: inside `dataDir`, or in the spare folder if that is not possible. */
export const findHome = (
  dataDir: string,
  spare: () => Result<string, EmbeddedProblem>,
  log: (line: string) => void,
): Result<Home, EmbeddedProblem> => {
  const usual = homeAt(join(real(dataDir), 'postgres'));
  const isReachable = (): boolean => canReach(usual.dir, serverUser(usual.cluster));
  // Checked twice: under a strict umask the folders that are created in between are closed as well.
  if (isReachable() && canMake(usual.dir) && isReachable()) return ok(usual);
  if (isRoot() && existsSync(usual.cluster)) {
    // Existing data must not silently be replaced by an empty database elsewhere.
    return err(
      problem('FolderNotOurs', `a folder above ${usual.cluster} is closed to its owner (chmod o+x it).`),
    );
  }
  return spare().map((folder) => {
    const home = homeAt(join(folder, `data-${hash(usual.dir)}`));
    makeOurs(home.dir);
    log(`${usual.dir} is closed to the database's user; the data is in ${home.dir}`);
    return home;
  });
};

import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, accessSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { codeOf, problem, type EmbeddedProblem } from './problem.ts';
import { canReach, isRoot, serverUser } from './server-user.ts';

/** Where one embedded server keeps its things. `cluster` is PostgreSQL's own data directory. */
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

/** Symbolic links resolved as far as the path exists, because permissions are those of the real folders. */
const real = (path: string): string => {
  const full = resolve(path);
  if (existsSync(full) || full === dirname(full)) return realpathSync(full);
  return join(real(dirname(full)), full.slice(dirname(full).length));
};

/** Others may pass through root's folder (the server's user must), but see nothing of it; a user's own is closed. */
const OURS = (): number => (isRoot() ? 0o711 : 0o700);

const makeOurs = (dir: string): void => {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, OURS());
};

/**
 * The folder that replaces the project's own when that is closed to the server's user or read-only. It lies in a
 * place where anybody may create anything, hence the checks: a stranger could have made it first, or made it a link.
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
      problem('FolderNotOurs', `${dir} belongs to user ${stat.uid}, not to us (${uid}); remove it.`),
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

/** The server's home: inside `dataDir`, or in the spare folder when it can't live there. */
export const findHome = (
  dataDir: string,
  spare: () => Result<string, EmbeddedProblem>,
  log: (line: string) => void,
): Result<Home, EmbeddedProblem> => {
  const usual = homeAt(join(real(dataDir), 'postgres'));
  const isReachable = (): boolean => canReach(usual.dir, serverUser(usual.cluster));
  // Looked at twice: under a strict umask the folders that we make on the way are closed as well.
  if (isReachable() && canMake(usual.dir) && isReachable()) return ok(usual);
  if (isRoot() && existsSync(usual.cluster)) {
    // Data that was usable once must not silently be replaced by an empty one elsewhere.
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

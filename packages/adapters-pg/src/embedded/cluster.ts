import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import type { Binaries } from './binaries.ts';
import type { Home } from './folders.ts';
import { problem, type EmbeddedProblem } from './problem.ts';
import { lent, type ServerUser } from './server-user.ts';

/** The name of both the superuser and the database. */
export const NAME = 'doska';

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

/** Tells whether the data directory has a cluster. A damaged one, or one of another major version, is an error and stays unchanged. */
export const inspectCluster = (home: Home, major: string): Result<'absent' | 'present', EmbeddedProblem> => {
  if (isEmpty(home.cluster)) return ok('absent');
  const untouched = 'Nothing in it was changed.';
  const missing = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal'].filter(
    (name) => !existsSync(join(home.cluster, name)),
  );
  if (missing.length > 0) {
    return err(
      problem('DamagedData', `${home.cluster} is damaged: ${missing.join(', ')} missing. ${untouched}`),
    );
  }
  const found = readFileSync(join(home.cluster, 'PG_VERSION'), 'utf8').trim();
  if (found !== major) {
    const what = `${home.cluster} was written by PostgreSQL ${found}, the embedded one is ${major}. ${untouched}`;
    return err(problem('OtherMajor', what));
  }
  if (!existsSync(home.password)) {
    return err(
      problem(
        'DamagedData',
        `${home.password} is missing, so no login to ${home.cluster} is possible. ${untouched}`,
      ),
    );
  }
  return ok('present');
};

type Ended = { readonly code: number | null; readonly said: string };

const run = (program: string, args: readonly string[], user: ServerUser): Promise<Ended> =>
  new Promise((resolve) => {
    // A folder that every user may enter, and none of the caller's PG* variables.
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      ...lent(user),
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('error', (cause) => resolve({ code: null, said: String(cause) }));
    child.on('close', (code) => resolve({ code, said }));
  });

const explain = ({ said }: Ended, user: ServerUser): EmbeddedProblem =>
  said.includes('could not look up effective user ID')
    ? problem('NoPasswdEntry', `user ${user.uid} has no entry in /etc/passwd, which initdb needs; add one.`)
    : problem('ServerFailed', `initdb failed: ${said.trim().split('\n').slice(-5).join(' | ')}.`);

/** Removes what processes that died during initdb left behind. Call it only under the start lock. */
const sweepDrafts = (home: Home): void => {
  for (const name of readdirSync(home.dir)) {
    if (name.startsWith('draft-')) rmSync(join(home.dir, name), { recursive: true, force: true });
  }
};

/** Makes a new cluster in a draft folder and renames it when it is complete, so that a crash leaves no partial cluster. */
export const createCluster = async (
  home: Home,
  binaries: Binaries,
  user: ServerUser,
): Promise<Result<void, EmbeddedProblem>> => {
  sweepDrafts(home);
  const draft = join(home.dir, `draft-${process.pid}`);
  const password = randomBytes(24).toString('base64url');
  const secret = join(draft, 'password');
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(secret, password, { mode: 0o600 });
  if (!user.isUs) [secret, draft].forEach((path) => chownSync(path, user.uid, user.gid));
  const made = await run(
    binaries.initdb,
    [
      '-D',
      join(draft, 'cluster'),
      '-U',
      NAME,
      `--pwfile=${secret}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Code point order and Unicode rules of PostgreSQL itself: the same on every machine, whatever its locales.
      '--locale-provider=builtin',
      '--locale=C.UTF-8',
      '--lc-messages=C',
      '--no-instructions',
    ],
    user,
  );
  if (made.code === 0) {
    rmSync(home.password, { force: true });
    writeFileSync(home.password, password, { mode: 0o600 });
    chmodSync(home.password, 0o600);
    renameSync(join(draft, 'cluster'), home.cluster);
  }
  rmSync(draft, { recursive: true, force: true });
  return made.code === 0 ? ok(undefined) : err(explain(made, user));
};

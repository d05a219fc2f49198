import { err, ok, safeTry, type Result } from 'neverthrow';
import { installedNative, prepareBinaries } from './binaries.ts';
import { createCluster, inspectCluster } from './cluster.ts';
import { findHome, spareFolder, type Home } from './folders.ts';
import { problem, type EmbeddedProblem } from './problem.ts';
import { launchServer, reuseServer, type EmbeddedPostgres } from './server.ts';
import { serverUser } from './server-user.ts';
import { freePort, type Settings } from './settings.ts';
import { withStartLock } from './start-lock.ts';

export type EmbeddedOptions = {
  /** A folder for this product only; created if missing. The server is in its folder `postgres`. */
  readonly dataDir: string;
  /** The spare folder is named after this path; by default the current directory. */
  readonly projectRoot?: string;
  /** Added to the default settings, e.g. `{ fsync: 'off' }` for tests. They apply only to a server that this call starts. */
  readonly settings?: Settings;
  readonly log?: (line: string) => void;
  /** The longest time for the whole start. */
  readonly deadlineMs?: number;
  /** The port of a server that this call starts; by default a free one. */
  readonly choosePort?: () => Promise<number>;
  /** For tests: the folder of the binaries and the place of spare folders. */
  readonly nativeDir?: string;
  readonly spareRoot?: string;
};

type Started = Result<EmbeddedPostgres, EmbeddedProblem>;

const startIn = async (home: Home, until: number, options: EmbeddedOptions): Promise<Started> => {
  const user = serverUser(home.cluster);
  const running = await reuseServer(home, user, until);
  if (running !== undefined) return ok(running);
  return safeTry<EmbeddedPostgres, EmbeddedProblem>(async function* () {
    const native = options.nativeDir ?? (yield* installedNative());
    const binaries = yield* prepareBinaries(native, user, () => spareOf(options));
    if ((yield* inspectCluster(home, binaries.major)) === 'absent') {
      options.log?.(`creating a PostgreSQL ${binaries.major} database in ${home.cluster}`);
      yield* await createCluster(home, binaries, user);
    }
    const settings = options.settings ?? {};
    return launchServer({ home, binaries, user, settings, until }, options.choosePort ?? freePort);
  });
};

const spareOf = ({ projectRoot, spareRoot }: EmbeddedOptions): Result<string, EmbeddedProblem> =>
  spareFolder(projectRoot ?? process.cwd(), spareRoot ?? '/var/tmp');

/** The private PostgreSQL of `dataDir`: the one that runs there, or a new one from the npm binaries. */
export const startEmbeddedPostgres = async (options: EmbeddedOptions): Promise<Started> => {
  const until = Date.now() + (options.deadlineMs ?? 60_000);
  try {
    return await safeTry<EmbeddedPostgres, EmbeddedProblem>(async function* () {
      const home = yield* findHome(options.dataDir, () => spareOf(options), options.log ?? (() => {}));
      return withStartLock(home.dir, until - Date.now(), () => startIn(home, until, options));
    });
  } catch (cause) {
    // A full disk, a read-only folder: the system's message is quoted.
    return err(problem('ServerFailed', `${cause instanceof Error ? cause.message : String(cause)}.`, cause));
  }
};

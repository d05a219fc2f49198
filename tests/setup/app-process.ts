import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The built platform. A test that starts processes runs after the build. */
const MAIN = fileURLToPath(new URL('../../packages/apps/platform/dist/main.js', import.meta.url));
const START_MS = 90_000;

export type AppRun = {
  readonly httpUrl: string;
  readonly grpcAddress: string;
  readonly token: string;
};
/** An app as a process of its own, with a data folder that outlives its restarts. */
export type AppProcess = {
  /** Where it listens since its last start. */
  readonly run: () => AppRun;
  /** False: it has ended, by itself or by `kill`. */
  readonly isAlive: () => boolean;
  /** Ends it without a chance to clean up. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Kills it and deletes its folder. */
  readonly remove: () => Promise<void>;
};

/** Variables of the product that the caller does not name are left out. */
export const startAppProcess = async (
  app: string,
  settings: Readonly<Record<string, string>>,
): Promise<AppProcess> => {
  const dataDir = mkdtempSync(join(tmpdir(), `doska-${app}-`));
  const file = join(dataDir, 'run.json');
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(DOSKA_|DATABASE_URL$|KAFKA_BROKERS$)/.test(name),
  );
  const env = {
    ...Object.fromEntries(clean),
    DOSKA_PROFILE: 'embedded',
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    ...settings,
    DOSKA_DATA_DIR: dataDir,
  };
  const launch = async () => {
    rmSync(file, { force: true });
    const child = spawn(process.execPath, [MAIN, app], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    for (const untilMs = Date.now() + START_MS; ; await pause(50)) {
      try {
        return { child, gone, run: JSON.parse(readFileSync(file, 'utf8')) as AppRun };
      } catch (cause) {
        if (child.exitCode === null && Date.now() < untilMs) continue;
        child.kill('SIGKILL');
        throw new Error(`${app} did not start`, { cause });
      }
    }
  };
  let now = await launch();
  const kill = async (): Promise<void> => {
    now.child.kill('SIGKILL');
    await now.gone;
  };
  return {
    run: () => now.run,
    isAlive: () => now.child.exitCode === null && now.child.signalCode === null,
    kill,
    start: async () => {
      now = await launch();
    },
    remove: async () => {
      await kill();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

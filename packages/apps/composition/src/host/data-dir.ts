import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { claimFile, releaseFile } from './owned-file.ts';
import { startProblem, type StartProblem } from './problem.ts';
import { readRun } from './run-file.ts';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
  ENOSPC: 'the disk is full',
};

const cantWrite = (dataDir: string, cause: unknown): StartProblem => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return startProblem(
    `DOSKA_DATA_DIR: the folder ${dataDir} can't be written: ${REASONS[code] ?? message}. Make it writable for this user, or set DOSKA_DATA_DIR to another folder.`,
  );
};

/** Creates the data directory. It must be writable: addresses, secrets, blobs and the embedded database are there. */
export const openDataDir = (dataDir: string): Result<void, StartProblem> => {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return ok(undefined);
  } catch (cause) {
    return err(cantWrite(dataDir, cause));
  }
};

const lockIn = (dataDir: string): string => join(dataDir, 'platform.lock');

/** Only one process runs the whole platform on a data directory with its embedded database. */
export const lockPlatform = (dataDir: string): Result<void, StartProblem> => {
  try {
    const other = claimFile(lockIn(dataDir), {});
    if (other === undefined) return ok(undefined);
    const run = readRun(dataDir);
    const where = run?.pid === other.pid ? ` at ${run.httpUrl}` : '';
    return err(
      startProblem(
        `Process ${other.pid} already runs the platform on ${dataDir}${where}.`,
        'Stop it first, or set DOSKA_DATA_DIR to another folder. To add one app to it, use `npm run app -- NAME`.',
      ),
    );
  } catch (cause) {
    return err(cantWrite(dataDir, cause));
  }
};
export const unlockPlatform = (dataDir: string): void => releaseFile(lockIn(dataDir));

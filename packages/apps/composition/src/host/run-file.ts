import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { claimFile, liveOwner, releaseFile, type Owner } from './owned-file.ts';

const Run = z.object({
  pid: z.number().int(),
  httpUrl: z.string(),
  grpcAddress: z.string(),
  token: z.string().optional(),
  startedAtMs: z.number(),
});
/** Where a running platform is: the command line finds it by this file in the data directory. */
export type Run = z.infer<typeof Run>;

const pathIn = (dataDir: string): string => join(dataDir, 'run.json');

/** Writes the file unless another live process on this directory has written it. Returns that process. */
export const writeRun = (dataDir: string, run: Run): Owner | undefined => claimFile(pathIn(dataDir), run);
/** Undefined when nothing runs there, also after a crash that left the file behind. */
export const readRun = (dataDir: string): Run | undefined => {
  try {
    const text = readFileSync(pathIn(dataDir), 'utf8');
    return liveOwner(text) === undefined ? undefined : Run.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};
/** Removes only the file of this process. */
export const removeRun = (dataDir: string): void => releaseFile(pathIn(dataDir));

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from './private-file.ts';

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
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
};

export const writeRun = (dataDir: string, run: Run): void =>
  writePrivately(pathIn(dataDir), `${JSON.stringify(run, null, 2)}\n`);
/** Undefined when nothing runs there, also after a crash that left the file behind. */
export const readRun = (dataDir: string): Run | undefined => {
  try {
    const run = Run.parse(JSON.parse(readFileSync(pathIn(dataDir), 'utf8')));
    return isAlive(run.pid) ? run : undefined;
  } catch {
    return undefined;
  }
};
/** Only our own: a second platform on the same directory has written its own by now. */
export const removeRun = (dataDir: string): void => {
  if (readRun(dataDir)?.pid === process.pid) rmSync(pathIn(dataDir), { force: true });
};

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Measured } from './harness.ts';
import { toolPath } from './tools.ts';

const run = promisify(execFile);
const MS = { us: 0.001, ms: 1, s: 1_000 } as const;

export type WrkLoad = {
  readonly url: string;
  /** A Lua script of wrk. */
  readonly script: string;
  readonly connections?: number;
  readonly seconds?: number;
};
/** Requests a second. Fails if one request was not answered with 2xx. */
export const wrk = async ({ url, script, connections = 64, seconds = 4 }: WrkLoad): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-wrk-'));
  const file = join(folder, 'load.lua');
  writeFileSync(file, script);
  const shape = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '--timeout', '10s'];
  const { stdout } = await run(toolPath('wrk'), [...shape, '-s', file, url]).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  const rate = /Requests\/sec:\s+([0-9.]+)/.exec(stdout)?.[1];
  const p99 = /99%\s+([0-9.]+)(us|ms|s)/.exec(stdout);
  if (!rate || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk did not get its answers:\n${stdout}`);
  return {
    value: Number(rate),
    figures: p99 ? { p99_ms: Number(p99[1]) * MS[p99[2] as keyof typeof MS] } : {},
  };
};

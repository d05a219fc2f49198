import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Reads a made feed in a process of its own and prints the largest RSS. Old garbage is thrown away before each measurement. */
const CHILD = `
import { createRequire } from 'node:module';
import { formatReader } from '@doska/adapters-formats';
import { defaultReadLimits } from '@doska/core/feeds';
import { madeFeed } from '@doska/core/feeds/testing';
const { okAsync } = createRequire(import.meta.resolve('@doska/adapters-formats'))('neverthrow');
const offers = Number(process.argv[1]);
let bytes = 0;
for (const chunk of madeFeed({ offers })) bytes += chunk.length;
const part = async function* ({ from = 0, to = bytes } = {}) {
  let at = 0;
  for (const chunk of madeFeed({ offers })) {
    const start = Math.max(0, from - at);
    const end = Math.min(chunk.length, to - at);
    if (start < end) yield chunk.subarray(start, end);
    at += chunk.length;
    if (at >= to) return;
  }
};
let most = 0;
let seen = 0;
let next = 0;
for await (const step of formatReader().read({ bytes, read: (range) => okAsync(part(range)) }, { format: 'auto', limits: defaultReadLimits })) {
  seen += step._unsafeUnwrap().offers.length;
  if (seen < next) continue;
  next += 1_000;
  globalThis.gc();
  most = Math.max(most, process.memoryUsage().rss);
}
console.log(JSON.stringify({ bytes, seen, most }));
`;
const measured = async (offers: number): Promise<{ bytes: number; seen: number; most: number }> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', CHILD, String(offers)],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  return JSON.parse(stdout) as { bytes: number; seen: number; most: number };
};
const MB = 1 << 20;
/** Short: 5 and 50 MB. Long: 20 and 200 MB. */
const [SMALL, LARGE] = process.env['DOSKA_TEST_LONG'] ? [9_000, 90_000] : [2_300, 23_000];

test('[P4] a feed ten times as large is read in the same memory', { timeout: 600_000 }, async () => {
  const small = await measured(SMALL);
  const large = await measured(LARGE);
  expect(large.seen).toBe(LARGE);
  expect(large.bytes).toBeGreaterThan(9 * small.bytes);
  expect(large.most - small.most).toBeLessThan(20 * MB);
});

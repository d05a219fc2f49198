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
type Measured = {
  readonly bytes: number;
  readonly seen: number;
  readonly most: number;
  /** What the program still holds. */
  readonly live?: number;
};
const measured = async (count: number, program = CHILD, ...args: readonly string[]): Promise<Measured> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', program, String(count), ...args],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  return JSON.parse(stdout) as Measured;
};
/** Exports made errors in a process of its own. Every page is made when it is asked for. */
const EXPORT = `
import { createRequire } from 'node:module';
import { xlsxWriter } from '@doska/adapters-formats';
import { makeExportErrors } from '@doska/core/feeds/testing';
const { okAsync } = createRequire(import.meta.resolve('@doska/adapters-formats'))('neverthrow');
const count = Number(process.argv[1]);
let seen = 0;
let most = 0;
let live = 0;
const error = (n) => ({
  n, ordinal: n, externalId: 'made-' + String(n).padStart(9, '0'), title: 'Велосипед горный Stels Navigator ' + n,
  level: 'error', code: 'attribute', path: 'offer/attributes', message: 'the dictionary of this attribute has no such value',
  value: '=Неведомое ' + n, line: n,
});
const listErrors = (_key, { after, limit }) => {
  const from = after ? after.n + 1 : 0;
  const page = Array.from({ length: Math.min(limit, count - from) }, (_, at) => error(from + at));
  seen += page.length;
  if (from % Math.floor(count / 10) === 0) {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    live = Math.max(live, heapUsed + external);
    most = Math.max(most, rss);
  }
  return okAsync(page);
};
const exportErrors = makeExportErrors({ getLoad: () => okAsync({}), listErrors }, xlsxWriter());
const file = (await exportErrors({}, process.argv[2]))._unsafeUnwrap();
let bytes = 0;
for await (const chunk of file) bytes += chunk.length;
console.log(JSON.stringify({ bytes, seen, most, live }));
`;
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

/** Short: 10,000 and 50,000. Long: 100,000 and a million. */
const [FEW, MANY] = process.env['DOSKA_TEST_LONG'] ? [100_000, 1_000_000] : [10_000, 50_000];
test.each(['csv', 'xlsx'])(
  '[P1] many times as many errors are exported as %s in the same memory',
  { timeout: 600_000 },
  async (format) => {
    const few = await measured(FEW, EXPORT, format);
    const many = await measured(MANY, EXPORT, format);
    expect(many.seen).toBe(MANY);
    expect(many.bytes).toBeGreaterThan(0.9 * (MANY / FEW) * few.bytes);
    expect(many.live! - few.live!).toBeLessThan(5 * MB);
    // The compressor and the allocator keep some more.
    expect(many.most - few.most).toBeLessThan(64 * MB);
  },
);

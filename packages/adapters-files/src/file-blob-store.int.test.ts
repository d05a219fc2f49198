import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blobArea, type BlobArea, type BlobHash, type Clock } from '@doska/core/kernel';
import { blobStoreContract } from '@doska/core/kernel/testing';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileBlobStore } from './file-blob-store.ts';

const clockAt = (nowMs: () => number): Clock => ({ nowMs, after: () => () => {} });
const area = blobArea('feeds')._unsafeUnwrap();
const limits = { bytesMax: 10_000_000 };
async function* source(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}
let root: string;
let folders = 0;
const freshDir = (): string => join(root, `store-${(folders += 1)}`);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'doska-blobs-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let shared: string | undefined;
blobStoreContract('files', {
  open: async () => ({
    store: fileBlobStore({ dir: (shared ??= freshDir()), clock: clockAt(Date.now) }),
    close: async () => {},
  }),
  promises: { durable: true },
});

test('[B10] kill -9 during a put leaves no visible blob', async () => {
  const dir = freshDir();
  const at = (name: string): string => fileURLToPath(new URL(`./testing/${name}`, import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=@doska/source', '--import', at('typescript-loader.mjs'), at('half-a-put.mjs'), dir, area],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('half\n');
  child.kill('SIGKILL');
  await once(child, 'exit');

  let nowMs = Date.now();
  const store = fileBlobStore({ dir, clock: clockAt(() => nowMs) });
  expect(readdirSync(join(dir, '.incoming'))).toHaveLength(1);
  expect(await store.list(area, { limit: 10 })).toEqual(ok([]));
  expect(await store.sweep()).toEqual(ok(0));
  nowMs += 25 * 3_600_000;
  expect(await store.sweep()).toEqual(ok(1));
  expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
});

test('[B10] a failed put leaves no file, and the first put removes old leftovers', async () => {
  const dir = freshDir();
  const store = fileBlobStore({ dir, clock: clockAt(Date.now) });
  async function* failing(): AsyncIterable<Uint8Array> {
    yield Uint8Array.of(1);
    throw new Error('gone');
  }
  expect((await store.put(area, failing(), limits)).isErr()).toBe(true);
  expect(readdirSync(dir)).toEqual(['.incoming']);
  expect(readdirSync(join(dir, '.incoming'))).toEqual([]);
  const left = join(dir, '.incoming', 'old.part');
  writeFileSync(left, 'x');
  utimesSync(left, 1, 1);
  await fileBlobStore({ dir, clock: clockAt(Date.now) }).put(area, source(Uint8Array.of(1)), limits);
  expect(existsSync(left)).toBe(false);
});

test('[B10] a forged name reaches no file', async () => {
  const dir = freshDir();
  writeFileSync(join(root, 'secret'), 'secret');
  const store = fileBlobStore({ dir, clock: clockAt(Date.now) });
  const { hash } = (await store.put(area, source(Uint8Array.of(1)), limits))._unsafeUnwrap();
  for (const wrong of ['..', '.', '', '/', '.incoming', 'a/b', '../x', 'A', 'a\0b'] as BlobArea[]) {
    expect((await store.put(wrong, source(Uint8Array.of(1)), limits)).isErr(), wrong).toBe(true);
    expect((await store.list(wrong, { limit: 1 })).isErr(), wrong).toBe(true);
    expect((await store.delete({ area: wrong, hash })).isErr(), wrong).toBe(true);
  }
  for (const wrong of ['../../secret', '..', '', `${hash}/..`, hash.toUpperCase()] as BlobHash[]) {
    expect((await store.read({ area, hash: wrong })).isErr(), wrong).toBe(true);
    expect((await store.delete({ area, hash: wrong })).isErr(), wrong).toBe(true);
  }
  expect(existsSync(join(root, 'secret'))).toBe(true);
});

test('[B10] a blob that is truncated during a read makes the reader throw', async () => {
  const dir = freshDir();
  const store = fileBlobStore({ dir, clock: clockAt(Date.now) });
  const { hash } = (await store.put(area, source(new Uint8Array(300_000)), limits))._unsafeUnwrap();
  const chunks = (await store.read({ area, hash }))._unsafeUnwrap();
  truncateSync(join(dir, area, hash.slice(0, 2), hash), 1000);
  const drain = async (): Promise<void> => {
    for await (const _ of chunks);
  };
  await expect(drain()).rejects.toThrow('early');
});

test('[B10] a folder that cannot be written gives Unavailable without a retry', async () => {
  const dir = freshDir();
  writeFileSync(dir, 'a file where the folder belongs');
  const put = await fileBlobStore({ dir, clock: clockAt(Date.now) }).put(
    area,
    source(Uint8Array.of(1)),
    limits,
  );
  expect(put._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: false });
});

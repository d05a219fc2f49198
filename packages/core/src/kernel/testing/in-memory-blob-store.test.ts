import { err, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { BlobArea, BlobStore } from '../ports/blob-store.port.ts';
import { blobStoreCases, blobStoreContract } from './blob-store.contract.ts';
import { inMemoryBlobStore } from './in-memory-blob-store.ts';

blobStoreContract('memory', {
  open: async () => ({ store: inMemoryBlobStore(), close: async () => {} }),
  promises: { durable: false },
});

async function* none(): AsyncIterable<Uint8Array> {}

/** Each is wrong in one promise; the suite must notice. */
const broken: Record<string, (right: BlobStore) => BlobStore> = {
  'a put that keeps what it has when its source fails': (right) => ({
    ...right,
    put: (area, chunks, limits) => {
      async function* swallowing(): AsyncIterable<Uint8Array> {
        try {
          yield* chunks;
        } catch {
          return;
        }
      }
      return right.put(area, swallowing(), limits);
    },
  }),
  'a put without a limit': (right) => ({
    ...right,
    put: (area, chunks) => right.put(area, chunks, { bytesMax: 50_000 }),
  }),
  'a read that ignores ranges': (right) => ({ ...right, read: (blob) => right.read(blob) }),
  'a list that starts at the beginning every time': (right) => ({
    ...right,
    list: (area, { limit }) => right.list(area, { limit }),
  }),
  'a list in no order': (right) => ({
    ...right,
    list: (area, page) => right.list(area, page).map((refs) => [...refs].reverse()),
  }),
  'a delete that does nothing': (right) => ({ ...right, delete: () => okAsync(undefined) }),
  'areas that share': (right) => ({
    ...right,
    put: (area, chunks, limits) =>
      right.put('one' as BlobArea, chunks, limits).map((ref) => ({ ...ref, area })),
    stat: ({ area, hash }) => right.stat({ area: 'one' as BlobArea, hash }).map((ref) => ({ ...ref, area })),
    read: ({ hash }, options) => right.read({ area: 'one' as BlobArea, hash }, options),
  }),
  'a read that finds everything': (right) => ({
    ...right,
    read: (blob, options) => right.read(blob, options).orElse(() => ok(none())),
  }),
};

test.each(Object.keys(broken))('[B10] the suite notices %s', async (name) => {
  const outcomes = await Promise.allSettled(
    blobStoreCases.map(async ({ run }) => run(broken[name]!(inMemoryBlobStore()))),
  );
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
});

test('[B10] a refused commit leaves no blob', async () => {
  const server = { areas: new Map() };
  const refused = inMemoryBlobStore(server, () =>
    okAsync(undefined).andThen(() => err({ kind: 'Unavailable', what: 'x', retryable: true }) as never),
  );
  expect((await refused.put('a' as BlobArea, none(), { bytesMax: 1 })).isErr()).toBe(true);
  expect(server.areas.size).toBe(0);
});

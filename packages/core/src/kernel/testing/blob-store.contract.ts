import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  blobArea,
  type BlobArea,
  type BlobHash,
  type BlobRef,
  type BlobStore,
} from '../ports/blob-store.port.ts';

export type BlobStoreHarness = {
  readonly open: () => Promise<{ readonly store: BlobStore; readonly close: () => Promise<void> }>;
  /** What this backend promises beyond the port: `durable` content outlives the store that was opened. */
  readonly promises: { readonly durable: boolean };
};
export type BlobStoreCase = { readonly name: string; readonly run: (store: BlobStore) => Promise<void> };

const freshArea = (): BlobArea => blobArea(`area-${randomUUID()}`)._unsafeUnwrap();
const hashOf = (content: Uint8Array): BlobHash =>
  createHash('sha256').update(content).digest('hex') as BlobHash;
async function* source(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}
const limits = { bytesMax: 10_000_000 };
const put = async (store: BlobStore, area: BlobArea, content: Uint8Array): Promise<BlobRef> =>
  (await store.put(area, source(content), limits))._unsafeUnwrap();
const content = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Uint8Array.from(Buffer.concat(parts));
};
const listed = async (store: BlobStore, area: BlobArea): Promise<readonly BlobRef[]> =>
  (await store.list(area, { limit: 1000 }))._unsafeUnwrap();

/** One case per sentence of the port; each uses an area of its own, so they may share a backend. */
export const blobStoreCases: readonly BlobStoreCase[] = [
  {
    name: 'reads back what it stored, under the hash of the content',
    run: async (store) => {
      const area = freshArea();
      const bytes = Uint8Array.from(randomBytes(200_000));
      const stored = await store.put(
        area,
        source(bytes.subarray(0, 7), bytes.subarray(7, 150_000), bytes.subarray(150_000)),
        limits,
      );
      expect(stored).toEqual(ok({ area, hash: hashOf(bytes), bytes: bytes.length }));
      const ref = stored._unsafeUnwrap();
      expect(hashOf(await content((await store.read(ref))._unsafeUnwrap()))).toBe(ref.hash);
      expect(await store.stat(ref)).toEqual(ok(ref));
    },
  },
  {
    name: 'stores an empty blob',
    run: async (store) => {
      const area = freshArea();
      const ref = (await store.put(area, source(), limits))._unsafeUnwrap();
      expect(ref).toEqual({ area, hash: hashOf(new Uint8Array()), bytes: 0 });
      expect(await content((await store.read(ref))._unsafeUnwrap())).toHaveLength(0);
    },
  },
  {
    name: 'keeps its own copy of the chunks',
    run: async (store) => {
      const chunk = Uint8Array.of(1, 2, 3);
      async function* reused(): AsyncIterable<Uint8Array> {
        yield chunk;
        chunk.fill(9);
        yield chunk;
      }
      const ref = (await store.put(freshArea(), reused(), limits))._unsafeUnwrap();
      expect(await content((await store.read(ref))._unsafeUnwrap())).toEqual(Uint8Array.of(1, 2, 3, 9, 9, 9));
    },
  },
  {
    name: 'the same content twice is one blob',
    run: async (store) => {
      const area = freshArea();
      const first = await put(store, area, Uint8Array.of(1, 2, 3));
      expect(await store.put(area, source(Uint8Array.of(1), Uint8Array.of(2, 3)), limits)).toEqual(ok(first));
      expect(await listed(store, area)).toEqual([first]);
    },
  },
  {
    name: 'ten writers of one content all succeed and make one blob',
    run: async (store) => {
      const area = freshArea();
      const bytes = Uint8Array.from(randomBytes(300_000));
      const refs = await Promise.all(Array.from({ length: 10 }, () => put(store, area, bytes)));
      expect(new Set(refs.map(({ hash }) => hash))).toEqual(new Set([hashOf(bytes)]));
      expect(await listed(store, area)).toEqual([refs[0]]);
      expect(hashOf(await content((await store.read(refs[0]!))._unsafeUnwrap()))).toBe(refs[0]!.hash);
    },
  },
  {
    name: 'a source that throws leaves no blob',
    run: async (store) => {
      const area = freshArea();
      const cause = new Error('the upload broke');
      async function* failing(): AsyncIterable<Uint8Array> {
        yield Uint8Array.of(1, 2, 3);
        throw cause;
      }
      expect(await store.put(area, failing(), limits)).toEqual(err({ kind: 'BlobSourceFailed', cause }));
      expect(await listed(store, area)).toEqual([]);
      expect((await store.stat({ area, hash: hashOf(Uint8Array.of(1, 2, 3)) })).isErr()).toBe(true);
    },
  },
  {
    name: 'content over the limit is refused, leaves no blob and stops its source',
    run: async (store) => {
      const area = freshArea();
      let closed = false;
      async function* endless(): AsyncIterable<Uint8Array> {
        try {
          for (;;) yield new Uint8Array(1000);
        } finally {
          closed = true;
        }
      }
      expect(await store.put(area, endless(), { bytesMax: 4500 })).toEqual(
        err({ kind: 'BlobTooLarge', bytesMax: 4500 }),
      );
      expect(closed).toBe(true);
      expect(await listed(store, area)).toEqual([]);
      expect((await store.put(area, source(new Uint8Array(4500)), { bytesMax: 4500 })).isOk()).toBe(true);
    },
  },
  {
    name: 'reads ranges, and reports the size for a range that does not exist',
    run: async (store) => {
      const ref = await put(
        store,
        freshArea(),
        Uint8Array.from({ length: 100 }, (_, i) => i),
      );
      const part = async (from: number, to?: number): Promise<unknown> => {
        const found = await store.read(ref, { range: to === undefined ? { from } : { from, to } });
        return found.isOk() ? [...(await content(found.value))] : found.error;
      };
      expect(await part(10, 13)).toEqual([10, 11, 12]);
      expect(await part(97)).toEqual([97, 98, 99]);
      expect(await part(98, 1000)).toEqual([98, 99]);
      const invalid = { kind: 'InvalidRange', bytes: 100 };
      for (const [from, to] of [[100], [-1, 5], [5, 5], [6, 5], [0.5, 3], [0, NaN]] as const) {
        expect(await part(from, to)).toEqual(invalid);
      }
    },
  },
  {
    name: 'reports a blob that does not exist, also in an unused area',
    run: async (store) => {
      const area = freshArea();
      const other = freshArea();
      const { hash } = await put(store, other, Uint8Array.of(7));
      expect(await store.stat({ area, hash })).toEqual(err({ kind: 'BlobNotFound', area, hash }));
      expect(await store.read({ area, hash })).toEqual(err({ kind: 'BlobNotFound', area, hash }));
      expect(await listed(store, area)).toEqual([]);
    },
  },
  {
    name: 'lists in the order of hashes, page by page, each blob once',
    run: async (store) => {
      const area = freshArea();
      const refs = await Promise.all(
        Array.from({ length: 25 }, (_, i) => put(store, area, Uint8Array.of(i))),
      );
      const sorted = refs.map(({ hash }) => hash).sort();
      const seen: BlobHash[] = [];
      for (let pages = 0; pages < 10; pages += 1) {
        const after = seen.at(-1);
        const page = (await store.list(area, { ...(after ? { after } : {}), limit: 7 }))._unsafeUnwrap();
        expect(page.length).toBeLessThanOrEqual(7);
        seen.push(...page.map(({ hash }) => hash));
      }
      expect(seen).toEqual(sorted);
    },
  },
  {
    name: 'a deleted blob is gone from every call, and deleting it again succeeds',
    run: async (store) => {
      const area = freshArea();
      const ref = await put(store, area, Uint8Array.of(1));
      const kept = await put(store, area, Uint8Array.of(2));
      expect(await store.delete(ref)).toEqual(ok(undefined));
      expect(await store.delete(ref)).toEqual(ok(undefined));
      expect((await store.read(ref)).isErr()).toBe(true);
      expect(await listed(store, area)).toEqual([kept]);
      expect(await put(store, area, Uint8Array.of(1))).toEqual(ref);
    },
  },
];

/** Every adapter of `BlobStore` runs this. */
export const blobStoreContract = (backend: string, { open, promises }: BlobStoreHarness): void => {
  describe(`BlobStore contract: ${backend}`, () => {
    let opened: Awaited<ReturnType<BlobStoreHarness['open']>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    for (const { name, run } of blobStoreCases) test(`[B10] ${name}`, () => run(opened.store));
    test.runIf(promises.durable)('[B10] a second store on the same folder sees the blob', async () => {
      const ref = await put(opened.store, freshArea(), Uint8Array.of(1, 2, 3));
      const again = await open();
      expect(await content((await again.store.read(ref))._unsafeUnwrap())).toEqual(Uint8Array.of(1, 2, 3));
      await again.close();
    });
  });
};

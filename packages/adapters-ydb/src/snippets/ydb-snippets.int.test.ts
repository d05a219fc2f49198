import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { snippetStoreContract } from '@doska/core/snippets/testing';
import { backendName, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { CLOCK } from './snippet-queries.ts';
import { nowOf } from './snippet-transaction.ts';
import { ydbSnippetStore } from './ydb-snippet-store.ts';

let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());

snippetStoreContract(backendName, {
  open: async () => {
    const { client, close } = await openDirectory(db);
    return {
      store: ydbSnippetStore(client),
      again: () => ydbSnippetStore(client),
      nowMs: async () =>
        (await client.read('clock', async (tx) => nowOf((await tx.commit(CLOCK, {}))[0])))._unsafeUnwrap(),
      forwardMs: async (ms) => void (await wait(ms)),
      close,
    };
  },
});

test('[F9] contents that do not fit one answer are read in parts, from one snapshot', async () => {
  const { client, close } = await openDirectory(db);
  const store = ydbSnippetStore(client);
  const place = { service: 'large', kps: 1 };
  const keys = Array.from({ length: 60 }, (_, i) => ({ ...place, key: `k${100 + i}`, language: '' }));
  for (const [i, at] of keys.entries()) {
    const content = { format: 'raw' as const, bytes: new Uint8Array(880_000).fill(i) };
    (
      await store.commit([{ rows: [{ at, content, ttlMs: undefined }] }], { tombstoneMs: 1_000 })
    )._unsafeUnwrap();
  }
  const read = (await store.read(keys))._unsafeUnwrap();
  expect(read.map((one) => one?.content?.bytes[0])).toEqual(keys.map((_, i) => i));
  const listed = (await store.list(place, { limit: 1_000 }))._unsafeUnwrap();
  expect(listed.map(({ key, row }) => [key, row.content?.bytes.length])).toEqual(
    keys.map(({ key }) => [key, 880_000]),
  );
  await close();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { genericStorageContract } from '@doska/core/kernel/testing';
import { backendName, connectTo, openDirectory, openYdb, type OpenYdb } from '../testing/open-ydb.ts';
import { ydbGenericStorage } from './ydb-generic-storage.ts';

let db: OpenYdb;
let directory: string;
beforeAll(async () => {
  db = await openYdb();
  const opened = await openDirectory(db);
  directory = opened.client.sdk.relativeDirectory;
  await opened.close();
});
afterAll(() => db.close());

const open = async () => {
  const client = await connectTo(db.connectionString, { directory });
  return { storage: ydbGenericStorage(client), close: client.close };
};
genericStorageContract(backendName, { open, promises: { durable: true } });

test('[B11] values that do not fit one answer are read in parts, from one snapshot', async () => {
  const { storage, close } = await open();
  // Together they have more than the 50 MB of one answer.
  const keys = Array.from({ length: 201 }, (_, i) => `k${100 + i}`);
  const value = new Uint8Array(256 * 1024);
  await Promise.all(keys.map(async (key) => (await storage.put('parts', key, value, 0))._unsafeUnwrap()));
  const listed = async (limit: number, after?: string) =>
    (await storage.list('parts', { limit, ...(after === undefined ? {} : { after }) }))
      ._unsafeUnwrap()
      .map(({ key }) => key);
  expect(await listed(1_000)).toEqual(keys);
  expect(await listed(200)).toEqual(keys.slice(0, 200));
  expect(await listed(200, 'k105')).toEqual(keys.slice(6));
  const read = (await storage.get('parts', [...keys, 'k101', 'none']))._unsafeUnwrap();
  expect(read.map(({ key }) => key)).toEqual([...keys, 'k101']);
  await close();
});

import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { gostContracts } from '@doska/core/gost/testing';
import type { GenericStorage } from '@doska/core/kernel';
import { genericStorageContract, leaseStoreContract, seededRandom } from '@doska/core/kernel/testing';
import type { SnippetStore } from '@doska/core/snippets';
import { snippetStoreContract } from '@doska/core/snippets/testing';
import type { ResultAsync } from 'neverthrow';
import type { YdbClient } from './driver/client.ts';
import { ydbLeaseStore } from './leases/ydb-lease-store.ts';
import { CLOCK } from './snippets/snippet-queries.ts';
import { nowOf } from './snippets/snippet-transaction.ts';
import { ydbSnippetStore } from './snippets/ydb-snippet-store.ts';
import { ydbGenericStorage } from './storage/ydb-generic-storage.ts';
import { gostHarness } from './testing/gost-harness.ts';
import { LOST_ANSWERS, losing, shortCalls } from './testing/lost-answer.ts';
import { backendName, openDirectory, openYdb, type OpenYdb } from './testing/open-ydb.ts';
import { planHiddenFaults, quickRetries } from './testing/plan-faults.ts';

/** Suites that run once more while calls are refused: no caller may notice. On a real server there are no planned faults. */
let db: OpenYdb;
beforeAll(async () => {
  db = await openYdb();
});
afterAll(() => db.close());
afterEach(() => db.standIn?.faults.clear());

let seed = 0;
const refusing = async (only: string) => {
  const opened = await openDirectory(db, { only, retry: quickRetries });
  if (db.standIn) planHiddenFaults(db.standIn, { random: seededRandom(++seed), times: 4, oneIn: 20 });
  return opened;
};
const name = `${backendName} that refuses calls`;
genericStorageContract(name, {
  open: async () => {
    const { client, close } = await refusing('storage');
    return { storage: ydbGenericStorage(client), close };
  },
  promises: { durable: false },
});
leaseStoreContract(name, {
  open: async () => {
    const { client, close } = await refusing('leases');
    return { store: ydbLeaseStore(client), close };
  },
});
snippetStoreContract(name, {
  open: async () => {
    const { client, close } = await refusing('snippets');
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
gostContracts(
  name,
  gostHarness(async () => {
    const opened = await openDirectory(db, { retry: quickRetries });
    if (db.standIn) planHiddenFaults(db.standIn, { random: seededRandom(++seed), times: 4, oneIn: 20 });
    return opened;
  }),
);

const value = async <T>(outcome: ResultAsync<T, unknown>): Promise<T> => (await outcome)._unsafeUnwrap();
describe.each(LOST_ANSWERS)('[G12] the commit has happened, and %s', (_, fault) => {
  let client: YdbClient;
  let storage: GenericStorage;
  let snippets: SnippetStore;
  const lose = async (heard: 'done' | 'unknown', work: () => ResultAsync<unknown, unknown>) => {
    if (db.standIn) await losing(db.standIn, fault, heard, work);
    else await work();
  };
  beforeAll(async () => {
    ({ client } = await openDirectory(db, { retry: quickRetries, ...shortCalls }));
    storage = ydbGenericStorage(client);
    snippets = ydbSnippetStore(client);
  });
  afterAll(() => client.close());

  test('[B11] a value is stored once, and its writer hears that the outcome is unknown', async () => {
    await lose('unknown', () => storage.put('s', 'k', Buffer.from('1'), 0));
    expect(await value(storage.get('s', ['k']))).toMatchObject([{ key: 'k', version: 1 }]);
    await lose('unknown', () => storage.remove('s', 'k', 1));
    expect(await value(storage.get('s', ['k']))).toEqual([]);
  });
  test('[F9] a snippet is written once, and its writer hears that the outcome is unknown; a purge goes on', async () => {
    const at = { service: 's', kps: 1, key: 'k', language: '' };
    const content = { format: 'raw' as const, bytes: Buffer.from('1') };
    const tombstoneMs = 1;
    await lose('unknown', () =>
      snippets.commit([{ rows: [{ at, content, ttlMs: undefined }] }], { tombstoneMs }),
    );
    const [first] = await value(snippets.read([at]));
    expect(Buffer.from(first!.content!.bytes).toString()).toBe('1');
    await value(snippets.commit([{ rows: [{ at, content: undefined, ttlMs: undefined }] }], { tombstoneMs }));
    await wait(5);
    const purged: number[] = [];
    for (let shard = 0; shard < 16; shard++)
      purged.push(await value(snippets.purgeDue(shard, { tombstoneMs, limit: 10 })));
    expect(purged.reduce((sum, n) => sum + n)).toBe(1);
    expect(await value(snippets.read([at]))).toEqual([undefined]);
  });
  test('[F6] a prefix is dropped whole', async () => {
    const at = { service: 's', kps: 2, key: 'k', language: '' };
    const content = { format: 'raw' as const, bytes: Buffer.from('1') };
    await value(snippets.commit([{ rows: [{ at, content, ttlMs: undefined }] }], { tombstoneMs: 1_000 }));
    await lose('done', () => snippets.drop({ service: 's', kps: 2 }, 10));
    expect(await value(snippets.read([at]))).toEqual([undefined]);
  });
});

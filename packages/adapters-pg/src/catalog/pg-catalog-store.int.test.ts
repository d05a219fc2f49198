import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { catalogCodec } from '@doska/adapters-proto';
import { anyCatalog, catalogStoreContract } from '@doska/core/catalog/testing';
import { ok } from 'neverthrow';
import fc from 'fast-check';
import { freshDatabase } from '@doska/test-setup/database';
import { pgCatalogStore } from './pg-catalog-store.ts';

const open = async (keep: number) => {
  const { pool, drop } = await freshDatabase();
  const again = () => pgCatalogStore({ pool, codec: catalogCodec, newUpload: randomUUID, keep });
  return { pool, store: again(), again, close: drop };
};
catalogStoreContract('PostgreSQL', { open });

test('[C3] parts that no version names are deleted: those of dropped versions, lost races and dead publishers', async () => {
  const { pool, store, close } = await open(2);
  const [content] = fc.sample(anyCatalog(), 1);
  await pool.query(
    `insert into catalog_part (upload, part, bytes, written_at) values (gen_random_uuid(), 0, 'x', now() - interval '2 hours')`,
  );
  for (let version = 0; version < 4; version++) (await store.publish(content!, version))._unsafeUnwrap();
  await store.publish(content!, 0);
  const { rows } = await pool.query<{ uploads: string }>(
    'select count(distinct upload) as uploads from catalog_part',
  );
  expect(rows[0]!.uploads).toBe('2');
  expect(await store.load(4)).toEqual(ok(content));
  await close();
});

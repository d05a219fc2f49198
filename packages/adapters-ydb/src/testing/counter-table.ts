import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import { sdk } from '../driver/sdk.ts';
import type { YdbTx } from '../driver/transaction.ts';

/** A small table `d/t` for tests of the driver, and a transaction that must never run twice. */
export const READ = query({
  name: 'read',
  parameters: { id: 'Utf8' },
  results: [{ n: 'Int64', note: 'Utf8?' }],
  text: 'SELECT n, note FROM t WHERE id = $id;',
});
export const WRITE = query({
  name: 'write',
  parameters: { all: rows({ id: 'Utf8', n: 'Int64', note: 'Utf8?', body: 'String?' }) },
  results: [],
  text: 'UPSERT INTO t SELECT id, n, note, body FROM AS_TABLE($all);',
});
export const ALL = query({
  name: 'all',
  parameters: {},
  results: [{ id: 'Utf8', n: 'Int64', body: 'String?' }],
  text: 'SELECT id, n, body FROM t ORDER BY id;',
});

export const createCounterTable = async (client: YdbClient): Promise<void> => {
  const { Column, TableDescription, Types } = sdk;
  await client.sdk.driver.schemeClient.makeDirectory('d');
  await client.sdk.withSession((session) =>
    session.createTable(
      'd/t',
      new TableDescription()
        .withColumns(
          new Column('id', Types.UTF8),
          new Column('n', Types.INT64),
          new Column('note', Types.optional(Types.UTF8)),
          new Column('body', Types.optional(Types.BYTES)),
        )
        .withPrimaryKey('id'),
    ),
  );
};
export const row = (id: string, n: number) => ({ id, n, note: undefined, body: undefined });
export const valueOf = async (tx: YdbTx, id: string): Promise<number> =>
  (await tx.run(READ, { id }))[0][0]?.n ?? 0;
/** Reads, adds one, writes. */
export const bumpOn = (client: YdbClient, idempotent = false): ResultAsync<number, Unavailable> =>
  client.write(
    'bump',
    async (tx) => {
      const n = (await valueOf(tx, 'x')) + 1;
      await tx.commit(WRITE, { all: [row('x', n)] });
      return n;
    },
    { idempotent },
  );
export const storedOn = async (client: YdbClient): Promise<number | undefined> =>
  (await client.read('stored', async (tx) => (await tx.commit(READ, { id: 'x' }))[0][0]?.n))._unsafeUnwrap();

type Request = { readonly txControl?: { readonly commitTx?: boolean } };
export const onCommit = { when: (request: object) => (request as Request).txControl?.commitTx === true };
export const onRead = { when: (request: object) => (request as Request).txControl?.commitTx !== true };

import type pg from 'pg';
import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import { CLIENTS, PARTITIONS, RUN_SECONDS, someKey, VALUE_BYTES } from './load.ts';

/** What plain rows need and nothing else: no offsets, no order, one index. */
const TABLE = `create table if not exists plain_record (id bigserial primary key, part integer not null, key text not null, value bytea not null)`;

/** One multi-row INSERT of `batch` records a call; prepared, so that its text is parsed once a connection. */
const scriptOf = (batch: number): string => {
  const value = `'\\x${'5a'.repeat(VALUE_BYTES)}'`;
  const rows = Array.from({ length: batch }, (_, i) => `(${i % PARTITIONS}, '${someKey()}', ${value})`);
  return `insert into plain_record (part, key, value) values ${rows.join(',\n')};\n`;
};

/** The same records as plain rows by pgbench: what this server can store without an order. */
export const insertPlainRows = async (pool: pg.Pool, url: string, batch: number): Promise<Measured> => {
  await pool.query(TABLE);
  await pool.query('truncate plain_record');
  await pool.query('checkpoint');
  const { transactions, perSecond } = await pgbench(url, scriptOf(batch), {
    clients: CLIENTS,
    seconds: RUN_SECONDS,
  });
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from plain_record');
  if (Number(rows[0]?.n) !== transactions * batch)
    throw new Error(`pgbench says ${transactions * batch} rows, the table has ${rows[0]?.n}`);
  return { value: perSecond * batch };
};

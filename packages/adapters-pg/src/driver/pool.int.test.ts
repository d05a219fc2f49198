import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { guard } from './guard.ts';
import { createPool } from './pool.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

/** What every connection sees when its server restarts. */
const terminate = (name: string) =>
  db.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);

test('idle connections that the server ends are replaced, and the process lives on', async () => {
  const told: string[] = [];
  const pool = createPool({
    url: db.url,
    max: 3,
    applicationName: 'idle-pool',
    onIdleError: (cause) => told.push(cause.message),
  });
  await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.02)')));
  await terminate('idle-pool');
  for (let tries = 0; tries < 100 && told.length < 3; tries++) await pause(10);
  expect(told).toHaveLength(3);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('a connection that ends in the hands of its user fails the next query, as retryable', async () => {
  const pool = createPool({ url: db.url, max: 1, applicationName: 'held-pool' });
  const client = await pool.connect();
  await terminate('held-pool');
  await pause(50);
  const failed = (await guard('the query', () => client.query('select 1')))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'Unavailable', what: 'the query', retryable: true });
  client.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('a statement that takes too long is cancelled by the server, as retryable', async () => {
  const pool = createPool({ url: db.url, max: 1, applicationName: 'slow-pool', statementTimeoutMs: 50 });
  const failed = (await guard('the query', () => pool.query('select pg_sleep(5)')))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'Unavailable', retryable: true });
  await pool.end();
});

test('a wrong statement is not worth a retry, and int8 stays exact', async () => {
  expect((await guard('the query', () => db.pool.query('selec 1')))._unsafeUnwrapErr().retryable).toBe(false);
  const { rows } = await db.pool.query('select 9223372036854775807::int8 as big');
  expect(rows).toEqual([{ big: '9223372036854775807' }]);
});

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { eventually } from '@doska/core/kernel/testing';
import { guard } from './guard.ts';
import { createPool } from './pool.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(() => db.drop());

/** Ends connections as a restart of the server does. */
const terminate = (name: string) =>
  db.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [name]);

test('the pool replaces idle connections that the server has ended, and the process goes on', async () => {
  const errors: string[] = [];
  const pool = createPool({
    url: db.url,
    max: 3,
    applicationName: 'idle-pool',
    onIdleError: (cause) => errors.push(cause.message),
  });
  await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.02)')));
  await terminate('idle-pool');
  for (let tries = 0; tries < 100 && errors.length < 3; tries++) await pause(10);
  expect(errors).toHaveLength(3);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await pool.end();
});

test('a checked-out connection that breaks fails the next query as retryable', async () => {
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

test('a statement that exceeds its timeout fails as retryable', async () => {
  const pool = createPool({ url: db.url, max: 1, applicationName: 'slow-pool', statementTimeoutMs: 50 });
  const failed = (await guard('the query', () => pool.query('select pg_sleep(5)')))._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'Unavailable', retryable: true });
  await pool.end();
});

test('a transaction that says nothing for too long is ended, so that its locks are free', async () => {
  const sleepy = createPool({ url: db.url, max: 1, applicationName: 'sleepy', idleInTransactionMs: 100 });
  const client = await sleepy.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(77001)');
    await eventually(async () => {
      const { rows } = await db.pool.query<{ free: boolean }>(
        'select pg_try_advisory_xact_lock(77001) as free',
      );
      expect(rows[0]?.free).toBe(true);
    });
  } finally {
    client.release(true);
    await sleepy.end();
  }
});
test('a wrong statement is not retryable, and int8 values are exact', async () => {
  expect((await guard('the query', () => db.pool.query('selec 1')))._unsafeUnwrapErr().retryable).toBe(false);
  const { rows } = await db.pool.query('select 9223372036854775807::int8 as big');
  expect(rows).toEqual([{ big: '9223372036854775807' }]);
});

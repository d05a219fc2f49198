import { afterEach, beforeEach, expect, test } from 'vitest';
import { ALL, createCounterTable, READ, row, storedOn, valueOf, WRITE } from '../testing/counter-table.ts';
import { connectTo } from '../testing/open-ydb.ts';
import { startStandIn, type StandIn } from '../testing/stand-in/stand-in.ts';
import type { YdbClient } from './client.ts';
import { query } from './query.ts';

let standIn: StandIn;
let client: YdbClient;
beforeEach(async () => {
  standIn = await startStandIn();
  client = await connectTo(standIn.connectionString, { directory: 'd' });
  await createCounterTable(client);
  standIn.calls.length = 0;
});
afterEach(async () => {
  await client.close();
  await standIn.close();
});
const stored = () => storedOn(client);
const executed = () => standIn.calls.filter((name) => name === 'ExecuteDataQuery').length;

test.each([
  0,
  5,
  -1,
  2 ** 31,
  3_000_000_000,
  2 ** 32 - 1,
  2 ** 32,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
])('[Y3] [G12] %d is the same number when it comes back', async (n) => {
  (await client.write('put', (tx) => tx.commit(WRITE, { all: [row('x', n)] })))._unsafeUnwrap();
  expect(await stored()).toBe(n);
});
test.each([2 ** 53, 0.5, Number.NaN])('[Y4] [G12] %d is refused before it is sent', async (n) => {
  const failed = await client.write('put', (tx) => tx.commit(WRITE, { all: [row('x', n)] }));
  expect(failed._unsafeUnwrapErr().retryable).toBe(false);
  expect(executed()).toBe(0);
});
test('[Y3] [G12] an integer that does not fit a number is an error, not a rounded number', async () => {
  await client.sdk.withSession((session) =>
    session.executeQuery('UPSERT INTO `/local/d/t` (id, n) VALUES ("x"u, 9007199254740993l);'),
  );
  const failed = await client.read('stored', (tx) => tx.commit(READ, { id: 'x' }));
  expect(failed._unsafeUnwrapErr()).toMatchObject({ retryable: false });
});
test('[G12] a result of another shape than expected is an error', async () => {
  const wrong = query({
    name: 'wrong',
    parameters: {},
    results: [{ n: 'Int64?' }],
    text: 'SELECT n FROM t;',
  });
  expect((await client.read('wrong', (tx) => tx.commit(wrong, {}))).isErr()).toBe(true);
  const missing = query({ name: 'missing', parameters: {}, results: [], text: 'SELECT n FROM t;' });
  expect((await client.read('missing', (tx) => tx.commit(missing, {}))).isErr()).toBe(true);
});
test('[Y7] [G12] a result of megabytes arrives', async () => {
  const body = new Uint8Array(900_000).fill(7);
  for (let i = 0; i < 6; i++)
    (
      await client.write('put', (tx) => tx.commit(WRITE, { all: [{ ...row(`big-${i}`, i), body }] }))
    )._unsafeUnwrap();
  const [all] = (await client.read('all', (tx) => tx.commit(ALL, {})))._unsafeUnwrap();
  expect(all.map((one) => one.body?.length)).toEqual(Array.from({ length: 6 }, () => 900_000));
});
test('[Y8] [G12] a thousand rows arrive, and a truncated result is an error', async () => {
  const put = async (from: number, count: number) =>
    (
      await client.write('put', (tx) =>
        tx.commit(WRITE, { all: Array.from({ length: count }, (_, i) => row(`row-${from + i}`, i)) }),
      )
    )._unsafeUnwrap();
  await put(0, 500);
  await put(500, 500);
  const [all] = (await client.read('all', (tx) => tx.commit(ALL, {})))._unsafeUnwrap();
  expect(all).toHaveLength(1_000);
  await put(1_000, 1);
  const truncated = await client.read('all', (tx) => tx.commit(ALL, {}));
  expect(truncated._unsafeUnwrapErr()).toMatchObject({ retryable: false });
});
test.each([5n, '5', true, new Uint8Array([5])])(
  '[Y4] [G12] a value of another type than the column is refused before it is sent: %o',
  async (n) => {
    const failed = await client.write('put', (tx) => tx.commit(WRITE, { all: [row('x', n as never)] }));
    expect(failed._unsafeUnwrapErr().retryable).toBe(false);
    expect(executed()).toBe(0);
  },
);
test('[Y5] [G12] members keep their values in any order, and also where one is missing in the first row', async () => {
  const body = new Uint8Array([1, 2]);
  const all = [
    { n: 1, id: 'a' },
    { note: 'second', body, id: 'b', n: 2 },
    { body, id: 'c', n: 3 },
  ];
  (await client.write('put', (tx) => tx.commit(WRITE, { all: all as never })))._unsafeUnwrap();
  const noteOf = async (id: string) =>
    (await client.read('read', async (tx) => (await tx.commit(READ, { id }))[0][0]))._unsafeUnwrap();
  expect(await noteOf('a')).toEqual({ n: 1, note: undefined });
  expect(await noteOf('b')).toEqual({ n: 2, note: 'second' });
  expect(await noteOf('c')).toEqual({ n: 3, note: undefined });
  const [found] = (await client.read('all', (tx) => tx.commit(ALL, {})))._unsafeUnwrap();
  expect(found.map((one) => one.body && [...one.body])).toEqual([undefined, [1, 2], [1, 2]]);
});
test('[Y5] [G12] no rows at all can be written', async () => {
  (await client.write('put', (tx) => tx.commit(WRITE, { all: [] })))._unsafeUnwrap();
  expect((await client.read('all', (tx) => tx.commit(ALL, {})))._unsafeUnwrap()).toEqual([[]]);
});
test('[Y9] [G12] statements that are started together run one after another, in one transaction', async () => {
  const outcome = await client.write('together', async (tx) => {
    const [one, other] = await Promise.all([
      valueOf(tx, 'x'),
      valueOf(tx, 'y'),
      tx.run(WRITE, { all: [row('x', 1)] }),
    ]);
    await tx.commit(WRITE, { all: [row('y', one + other + 1)] });
  });
  expect(outcome.isOk()).toBe(true);
  expect(standIn.sessions.openTransactions).toBe(0);
  const [all] = (await client.read('all', (tx) => tx.commit(ALL, {})))._unsafeUnwrap();
  expect(all.map(({ id, n }) => [id, n])).toEqual([
    ['x', 1],
    ['y', 1],
  ]);
});
test('[Y9] [G12] after a statement that failed the others are not sent, and nothing stays open', async () => {
  const failed = await client.write('together', (tx) =>
    Promise.all([
      valueOf(tx, 'x'),
      tx.run(WRITE, { all: [row('x', 0.5)] }),
      tx.run(WRITE, { all: [row('y', 1)] }),
    ]),
  );
  expect(failed._unsafeUnwrapErr().retryable).toBe(false);
  expect(executed()).toBe(1);
  expect(standIn.sessions.openTransactions).toBe(0);
});
test('[Y2] [G12] values that can not be encoded leave no transaction open, also in the last statement', async () => {
  const failed = await client.write('bad', async (tx) => {
    await valueOf(tx, 'x');
    await tx.commit(WRITE, { all: [row('x', 0.5)] });
  });
  expect(failed._unsafeUnwrapErr().retryable).toBe(false);
  expect(standIn.sessions.openTransactions).toBe(0);
});

import type { TableSession, Ydb } from 'ydb-sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import { sdk } from '../../driver/sdk.ts';
import { makeSdkDriver, type SdkDriver } from '../../driver/sdk-driver.ts';
import { statusOf } from '../../driver/status.ts';
import { startStandIn, type StandIn } from './stand-in.ts';

const { Column, StatusCode, TableDescription, TypedValues, Types } = sdk;
let standIn: StandIn;
let driver: SdkDriver;
beforeEach(async () => {
  standIn = await startStandIn({ nowMs: () => 5_000, transactionBytesMax: 20_000 });
  driver = makeSdkDriver({
    connectionString: standIn.connectionString,
    authService: new sdk.AnonymousAuthService(),
    sessionsMax: 4,
    keepAliveMs: 60_000,
    pingMs: 60_000,
    echoMs: 60_000,
    createInTime: (call) => call,
    logger: silentTelemetry.logger,
  });
  expect(await driver.ready(5_000)).toBe(true);
  await withSession((session) =>
    session.createTable(
      't',
      new TableDescription()
        .withColumns(
          new Column('a', Types.UTF8),
          new Column('b', Types.UINT64),
          new Column('n', Types.INT64),
          new Column('note', Types.optional(Types.UTF8)),
          new Column('body', Types.optional(Types.BYTES)),
        )
        .withPrimaryKeys('a', 'b'),
    ),
  );
});
afterEach(async () => {
  await driver.destroy();
  await standIn.close();
});

const withSession = <T>(work: (session: TableSession) => Promise<T>) => driver.tableClient.withSession(work);
type Parameters = Record<string, Ydb.ITypedValue>;
const RW = { beginTx: { serializableReadWrite: {} } };
const AUTO = { ...RW, commitTx: true };
const RO = { beginTx: { snapshotReadOnly: {} } };
const PREFIX = 'PRAGMA TablePathPrefix("/local");';
const native = (value: Ydb.IValue): unknown => {
  if (value.nullFlagValue !== undefined && value.nullFlagValue !== null) return null;
  if (value.bytesValue) return [...value.bytesValue];
  return (
    value.textValue ??
    value.boolValue ??
    (value.uint64Value ?? value.int64Value ?? value.int32Value)?.toString()
  );
};
const rowsOf = (sets: readonly Ydb.IResultSet[]): unknown[][] =>
  (sets[0]?.rows ?? []).map(({ items }) => (items ?? []).map(native));
const executeIn = (
  session: TableSession,
  text: string,
  parameters: Parameters = {},
  control: object = AUTO,
) => session.executeQuery(`${PREFIX}${text}`, parameters, control as { txId: string });
const execute = (text: string, parameters: Parameters = {}, control: object = AUTO) =>
  withSession((session) => executeIn(session, text, parameters, control));
const select = async (text: string, parameters: Parameters = {}) =>
  rowsOf((await execute(text, parameters)).resultSets);
const failure = async (work: Promise<unknown>): Promise<{ status: string | undefined; message: string }> => {
  try {
    await work;
  } catch (cause) {
    const status = statusOf(cause);
    return {
      status: status === undefined ? undefined : StatusCode[status],
      message: (cause as Error).message,
    };
  }
  throw new Error('it went well');
};
const put = (a: string, b: number, n: number, control: object = AUTO, session?: TableSession) => {
  const text =
    'DECLARE $a AS Utf8; DECLARE $b AS Uint64; DECLARE $n AS Int64; UPSERT INTO t (a, b, n) VALUES ($a, $b, $n);';
  const parameters = { $a: TypedValues.utf8(a), $b: TypedValues.uint64(b), $n: TypedValues.int64(n) };
  return session ? executeIn(session, text, parameters, control) : execute(text, parameters, control);
};

test('[G12] tables are made, described and dropped; a second one of the name and one without a folder are refused', async () => {
  await withSession(async (session) => {
    const { columns, primaryKey } = await session.describeTable('t');
    expect(primaryKey).toEqual(['a', 'b']);
    expect(columns.map(({ name, notNull }) => [name, notNull])).toEqual([
      ['a', true],
      ['b', true],
      ['n', true],
      ['note', false],
      ['body', false],
    ]);
    const one = new TableDescription().withColumns(new Column('id', Types.UTF8)).withPrimaryKey('id');
    expect(await failure(session.createTable('t', one))).toMatchObject({ status: 'SCHEME_ERROR' });
    expect(await failure(session.createTable('nowhere/t', one))).toMatchObject({ status: 'SCHEME_ERROR' });
    await driver.schemeClient.makeDirectory('somewhere');
    await driver.schemeClient.makeDirectory('somewhere');
    await session.createTable('somewhere/t', one);
    await session.dropTable('t');
    expect(await failure(session.describeTable('t'))).toMatchObject({ status: 'SCHEME_ERROR' });
  });
});

test('[G12] whole 64 bits come and go, bytes stay bytes, a null is a null', async () => {
  const parameters = {
    $b: TypedValues.uint64('18446744073709551615' as never),
    $n: TypedValues.int64('-9223372036854775808' as never),
    $body: TypedValues.optional(TypedValues.bytes(Buffer.from([0, 255]))),
    $note: TypedValues.optionalNull(Types.UTF8),
  };
  await execute(
    `DECLARE $b AS Uint64; DECLARE $n AS Int64; DECLARE $body AS String?; DECLARE $note AS Optional<Utf8>;
     UPSERT INTO t (a, b, n, body, note) VALUES ("k"u, $b, $n, $body, $note);`,
    parameters,
  );
  expect(await select('SELECT b, n, body, note FROM t')).toEqual([
    ['18446744073709551615', '-9223372036854775808', [0, 255], null],
  ]);
});

test.each([
  { name: 'another type', type: 'Uint32', value: TypedValues.uint64(1) },
  { name: 'an Optional too much', type: 'Uint64', value: TypedValues.optional(TypedValues.uint64(1)) },
  { name: 'an Optional too few', type: 'Uint64?', value: TypedValues.uint64(1) },
  {
    name: 'a null without Optional',
    type: 'Uint64',
    value: { type: Types.UINT64, value: { nullFlagValue: 0 } },
  },
  { name: 'a list of another type', type: 'List<Uint64>', value: TypedValues.list(Types.UTF8, ['a']) },
])('[G12] a parameter must be of the type declared: $name', async ({ type, value }) => {
  expect(await failure(execute(`DECLARE $x AS ${type}; SELECT 1 AS one`, { $x: value }))).toMatchObject({
    status: 'BAD_REQUEST',
  });
});
test('[G12] a missing parameter and an undeclared one are refused', async () => {
  expect(await failure(execute('DECLARE $x AS Utf8; SELECT 1 AS one'))).toMatchObject({
    status: 'BAD_REQUEST',
  });
  expect(await failure(execute('SELECT 1 AS one', { $x: TypedValues.utf8('') }))).toMatchObject({
    status: 'BAD_REQUEST',
  });
});

test.each([
  ['UPSERT INTO t (a, b, n) VALUES ("x"u, 1, NULL)', 'type error'],
  ['UPSERT INTO t (a, b) VALUES ("x"u, 1)', 'Missing not null column in input: n'],
  ['UPSERT INTO t (a, n) VALUES ("x"u, 1)', 'Missing not null column in input: b'],
  ['UPSERT INTO t (a, b, n) VALUES ("x", 1, 1)', 'Failed to convert type: String to Utf8'],
  ['UPSERT INTO t (a, b, n) VALUES ("x"u, -1, 1)', 'unsupported'],
  ['UPSERT INTO t (a, b, n) VALUES ("x"u, 1l, 1)', 'Failed to convert type: Int64 to Uint64'],
  ['UPSERT INTO t (a, b, m) VALUES ("x"u, 1, 1)', 'No such column: m'],
  ['UPSERT INTO nowhere (a) VALUES ("x"u)', 'Cannot find table'],
  ['SELECT nothing FROM t', 'Member not found: nothing'],
  ['SELECT a FROM t WHERE a = 1', "can't compare"],
  ['SELECT a FROM t WHERE b = "1"u', "can't compare"],
  ['SELECT a FROM t WHERE a', 'a condition must be a Bool'],
  ['SELECT a FROM t LIMIT "1"u', 'LIMIT'],
  ['SELECT a FROM t VIEW by_a', 'stand-in: unsupported VIEW'],
  ['SELECT Digest::CityHash(a) AS h FROM t', 'stand-in: unsupported function'],
  ['SELECT CAST(b AS Utf8) AS s FROM t', 'stand-in: unsupported CAST'],
  ['PRAGMA AnsiInForEmptyOrNullableItemsCollections("x"); SELECT 1 AS one', 'stand-in: unsupported PRAGMA'],
  ['UPSERT INTO t (a, b, n) VALUES ("x"u, 1, 1); SELECT a FROM t', 'stand-in: unsupported reading'],
  ['UPSERT INTO t (a, b, n) VALUES ("x"u, 1, 1), ("x"u, 1, 2)', 'stand-in: unsupported two rows'],
  ['DELETE FROM t WHERE a = "x"u RETURNING a', 'stand-in: unsupported RETURNING'],
  ['DROP TABLE t', 'Scheme operations cannot be executed inside transaction'],
])('[G12] refused: %s', async (text, message) => {
  expect((await failure(execute(text))).message).toContain(message);
  expect(await select('SELECT a FROM t')).toEqual([]);
});

test('[G12] a result ends at 1000 rows, and says so', async () => {
  const struct = { a: Types.UTF8, b: Types.UINT64, n: Types.INT64 };
  const fill = (from: number, count: number) =>
    execute(
      'DECLARE $r AS List<Struct<a:Utf8,b:Uint64,n:Int64>>; UPSERT INTO t SELECT a, b, n FROM AS_TABLE($r);',
      {
        $r: TypedValues.list(
          Types.struct(struct),
          Array.from({ length: count }, (_, i) => ({ a: 'x', b: from + i, n: 0 })),
        ),
      },
    );
  await fill(0, 500);
  await fill(500, 500);
  const read = async () => (await execute('SELECT b FROM t')).resultSets[0]!;
  expect(await read()).toMatchObject({ truncated: false, rows: { length: 1_000 } });
  await fill(1_000, 1);
  expect(await read()).toMatchObject({ truncated: true, rows: { length: 1_000 } });
});
test('[G12] texts and transactions are bounded', async () => {
  expect(await failure(execute(`SELECT "${'x'.repeat(11_000)}" AS x`))).toMatchObject({
    status: 'BAD_REQUEST',
  });
  const big = { $s: TypedValues.utf8('x'.repeat(30_000)) };
  const text = 'DECLARE $s AS Utf8; UPSERT INTO t (a, b, n, note) VALUES ("x"u, 1, 1, $s)';
  expect((await failure(execute(text, big))).message).toContain('stand-in: a transaction of more than');
});

test('[G12] who has read what another then wrote is refused at the commit, and nothing of it is there', async () => {
  await put('x', 1, 10);
  await withSession(async (one) => {
    const read = await executeIn(one, 'SELECT n FROM t WHERE a = "x"u AND b = 1', {}, RW);
    await put('x', 1, 20);
    expect(await failure(put('y', 1, 0, { txId: read.txMeta!.id, commitTx: true }, one))).toMatchObject({
      status: 'ABORTED',
    });
  });
  expect(await select('SELECT a, n FROM t')).toEqual([['x', '20']]);
});
test('[G12] a row that comes into a range that was read is a conflict, also an absent key; one beside it is none', async () => {
  const race = (read: string, a: string, b: number) =>
    withSession(async (one) => {
      const { txMeta } = await executeIn(one, read, {}, RW);
      await put(a, b, 1);
      return put('other', 7, 0, { txId: txMeta!.id, commitTx: true }, one).then(
        () => 'committed',
        (cause: unknown) => StatusCode[statusOf(cause)!],
      );
    });
  expect(await race('SELECT n FROM t WHERE a = "x"u AND b > 5 AND b <= 9', 'x', 9)).toBe('ABORTED');
  expect(await race('SELECT n FROM t WHERE a = "x"u AND b > 5 AND b <= 9', 'x', 10)).toBe('committed');
  expect(await race('SELECT n FROM t WHERE a = "z"u AND b = 1', 'z', 1)).toBe('ABORTED');
  expect(await race('SELECT n FROM t WHERE a IN AsList("p"u, "q"u)', 'q', 3)).toBe('ABORTED');
  expect(await race('SELECT n FROM t WHERE a IN AsList("p"u, "q"u)', 'r', 3)).toBe('committed');
  expect(await race('SELECT n FROM t WHERE (a, b) > ("s"u, 4ul)', 'u', 0)).toBe('ABORTED');
  expect(await race('SELECT n FROM t WHERE n = 5', 'v', 1)).toBe('ABORTED');
  expect(await race('SELECT 1 AS one', 'w', 1)).toBe('committed');
});
test('[G12] a transaction sees one snapshot and its own writes; other transactions do not see uncommitted writes', async () => {
  await put('x', 1, 10);
  await withSession(async (one) => {
    const { txMeta } = await executeIn(one, 'SELECT n FROM t', {}, RW);
    const txId = txMeta!.id!;
    await put('x', 2, 99);
    const again = async () =>
      rowsOf((await executeIn(one, 'SELECT a, b, n FROM t ORDER BY a, b', {}, { txId })).resultSets);
    expect(await again()).toEqual([['x', '1', '10']]);
    await put('w', 0, 5, { txId }, one);
    expect(await again()).toEqual([
      ['w', '0', '5'],
      ['x', '1', '10'],
    ]);
    expect(await select('SELECT a FROM t')).toEqual([['x'], ['x']]);
    await one.rollbackTransaction({ txId });
  });
  expect(await select('SELECT a FROM t')).toEqual([['x'], ['x']]);
});
test('[G12] a snapshot is never refused, and writes nothing', async () => {
  await put('x', 1, 10);
  await withSession(async (one) => {
    const { txMeta } = await executeIn(one, 'SELECT n FROM t', {}, RO);
    await put('x', 1, 20);
    const control = { txId: txMeta!.id, commitTx: true };
    expect(rowsOf((await executeIn(one, 'SELECT n FROM t', {}, control)).resultSets)).toEqual([['10']]);
  });
  expect(await failure(put('y', 1, 1, { ...RO, commitTx: true }))).toMatchObject({ status: 'GENERIC_ERROR' });
  expect(
    await failure(execute('SELECT 1 AS one', {}, { beginTx: { staleReadOnly: {} }, commitTx: true })),
  ).toMatchObject({
    message: expect.stringContaining('stand-in: unsupported') as string,
  });
});
test('[G12] after a failure the transaction is gone, and its writes with it; so is an unknown one', async () => {
  await withSession(async (one) => {
    const { txMeta } = await put('x', 1, 1, RW, one);
    const txId = txMeta!.id;
    expect(await failure(executeIn(one, 'SELECT nothing FROM t', {}, { txId }))).toMatchObject({
      status: 'GENERIC_ERROR',
    });
    expect(await failure(executeIn(one, 'SELECT a FROM t', {}, { txId, commitTx: true }))).toMatchObject({
      status: 'NOT_FOUND',
    });
    expect(await failure(executeIn(one, 'SELECT a FROM t', {}, { txId: 'never' }))).toMatchObject({
      status: 'NOT_FOUND',
    });
  });
  expect(await select('SELECT a FROM t')).toEqual([]);
});
test('[G12] an unknown session is bad, and its transactions end with it', async () => {
  const work = withSession(async (one) => {
    await put('x', 1, 1, RW, one);
    standIn.sessions.delete(one.sessionId);
    return executeIn(one, 'SELECT a FROM t');
  });
  expect(await failure(work)).toMatchObject({ status: 'BAD_SESSION' });
  expect(await select('SELECT a FROM t')).toEqual([]);
});

test('[G12] INSERT refuses a key that is there; UPDATE ON touches only what is there; DELETE takes its keys', async () => {
  await put('x', 1, 10);
  expect(await failure(execute('INSERT INTO t (a, b, n) VALUES ("x"u, 1, 2)'))).toMatchObject({
    status: 'PRECONDITION_FAILED',
  });
  await execute('INSERT INTO t (a, b, n) VALUES ("x"u, 2, 20)');
  await execute(
    'UPDATE t ON SELECT "x"u AS a, 2ul AS b, "seen"u AS note FROM AS_TABLE(AsList(AsStruct(1 AS i)))',
  );
  await execute(
    'UPDATE t ON SELECT "x"u AS a, 3ul AS b, "seen"u AS note FROM AS_TABLE(AsList(AsStruct(1 AS i)))',
  );
  await execute('UPDATE t SET n = n + 1 WHERE b = 1');
  expect(await select('SELECT b, n, note FROM t ORDER BY b')).toEqual([
    ['1', '11', null],
    ['2', '20', 'seen'],
  ]);
  await execute('UPSERT INTO t (a, b, n) VALUES ("x"u, 2, 21)');
  await execute('REPLACE INTO t (a, b, n) VALUES ("x"u, 1, 12)');
  expect(await select('SELECT n, note FROM t ORDER BY n DESC')).toEqual([
    ['21', 'seen'],
    ['12', null],
  ]);
  await execute('DELETE FROM t ON SELECT "x"u AS a, 2ul AS b FROM AS_TABLE(AsList(AsStruct(1 AS i)))');
  await execute('DELETE FROM t WHERE b > 5');
  expect(await select('SELECT b FROM t')).toEqual([['1']]);
});
test('[G12] keys are in the order of their bytes; pages, joins, groups and nulls are as SQL has them', async () => {
  for (const [i, a] of ['\u{1F600}', 'Я', 'a', '\uFFFD', 'Z'].entries()) await put(a, i, i % 2);
  const inOrder = [['Z'], ['a'], ['Я'], ['\uFFFD'], ['\u{1F600}']];
  expect(await select('SELECT a FROM t ORDER BY a')).toEqual(inOrder);
  // YDB promises no order without ORDER BY, so the stand-in never answers in the order of the key.
  expect(await select('SELECT a FROM t')).toEqual(inOrder.toReversed());
  expect(await select('SELECT a FROM t WHERE (a, b) > ("a"u, 2ul) ORDER BY a DESC LIMIT 2')).toEqual([
    ['\u{1F600}'],
    ['\uFFFD'],
  ]);
  expect(await select('SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1')).toEqual([['a'], ['Я']]);
  expect(
    await select('SELECT n, COUNT(*) AS c, SUM(b) AS s, MAX(a) AS m FROM t GROUP BY n ORDER BY n'),
  ).toEqual([
    ['0', '3', '6', '\u{1F600}'],
    ['1', '2', '4', '\uFFFD'],
  ]);
  const keys = 'AsList(AsStruct("a"u AS a, 2ul AS b), AsStruct("a"u AS a, 9ul AS b))';
  expect(
    await select(
      `SELECT k.b AS b, t.n AS n FROM AS_TABLE(${keys}) AS k LEFT JOIN t ON t.a = k.a AND t.b = k.b ORDER BY k.b`,
    ),
  ).toEqual([
    ['2', '0'],
    ['9', null],
  ]);
  expect(
    await select(`SELECT k.b AS b FROM AS_TABLE(${keys}) AS k INNER JOIN t ON t.a = k.a AND t.b = k.b`),
  ).toEqual([['2']]);
  expect(await select('SELECT a FROM t WHERE note = "x"u OR note IS NOT NULL')).toEqual([]);
  expect(await select('SELECT a FROM t WHERE NOT (note = "x"u)')).toEqual([]);
  expect(await select('SELECT a FROM t WHERE note IS NULL AND (note = "x"u OR b = 2)')).toEqual([['a']]);
  expect(await select('SELECT DISTINCT n FROM t')).toHaveLength(2);
  expect(
    await select('SELECT CurrentUtcTimestamp() AS now, COALESCE(note, "-"u) AS note FROM t LIMIT 1'),
  ).toEqual([['5000000', '-']]);
});

test('[G12] faults: refused, done and refused, connections cut before and after', async () => {
  const count = async () => (await select('SELECT a FROM t')).length;
  standIn.faults.add('ExecuteDataQuery', { kind: 'refuse', status: 'OVERLOADED' });
  expect(await failure(put('x', 1, 1))).toMatchObject({ status: 'OVERLOADED' });
  expect(await count()).toBe(0);
  standIn.faults.add('ExecuteDataQuery', { kind: 'applyThenRefuse', status: 'UNDETERMINED' });
  expect(await failure(put('x', 1, 1))).toMatchObject({ status: 'UNDETERMINED' });
  expect(await count()).toBe(1);
  standIn.faults.add('ExecuteDataQuery', { kind: 'drop' });
  expect(await failure(put('x', 2, 1))).toMatchObject({ status: 'TRANSPORT_UNAVAILABLE' });
  expect(await count()).toBe(1);
  standIn.faults.add('ExecuteDataQuery', { kind: 'applyThenDrop' });
  expect(await failure(put('x', 2, 1))).toMatchObject({ status: 'TRANSPORT_UNAVAILABLE' });
  expect(await count()).toBe(2);
  expect(standIn.faults.left).toBe(0);
});

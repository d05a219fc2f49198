import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import { direct, type Io } from './io.ts';
import { memoryDatabase, transact, type MemoryDatabase, type MemoryTx } from './memory-database.ts';

const open = (mode: 'plain' | 'constrained'): MemoryDatabase => memoryDatabase({ nowMs: () => 0, mode });
const run = <T, E>(db: MemoryDatabase, work: (tx: MemoryTx) => Result<T, E>, io: Io = direct) =>
  transact(db, io, 'db.test', undefined, work);
const keysOf = async (db: MemoryDatabase): Promise<string[]> =>
  (await run(db, (tx) => ok(tx.scan('t').map(([key]) => key))))._unsafeUnwrap();
/** Runs `meanwhile` once, between the reading and the commit of the first transaction. */
const interrupted = (
  meanwhile: () => Promise<unknown>,
): { readonly io: Io; readonly attempts: () => number } => {
  let reads = 0;
  const io: Io = (op, work) => {
    const first = op.name.endsWith('.read') && ++reads === 1;
    const answer = direct(op, work);
    return first ? answer.andThrough(() => ResultAsync.fromSafePromise(meanwhile())) : answer;
  };
  return { io, attempts: () => reads };
};

describe.each(['plain', 'constrained'] as const)('%s', (mode) => {
  test('[B5] a transaction reads its own writes and is stored completely or not at all', async () => {
    const db = open(mode);
    const written = await run(db, (tx) => {
      tx.put('t', 'b', { n: 1 });
      tx.put('t', 'a', { n: 2 });
      tx.delete('t', 'b');
      return ok([tx.get('t', 'b'), tx.scan('t').map(([key]) => key)]);
    });
    expect(written).toEqual(ok([undefined, ['a']]));
    const refused = await run(db, (tx) => {
      tx.put('t', 'c', { n: 3 });
      return err('no');
    });
    expect(refused).toEqual(err('no'));
    expect(await keysOf(db)).toEqual(['a']);
  });
  test('[B5] a stored row cannot be changed through a kept reference', async () => {
    const db = open(mode);
    const row = { list: [1] };
    await run(db, (tx) => ok(tx.put('t', 'a', row)));
    expect(() => row.list.push(2)).toThrow(TypeError);
  });
  test('[B5] a transaction whose answer never came is not stored', async () => {
    const db = open(mode);
    const dead: Io = () => errAsync(unavailable('x'));
    expect((await run(db, (tx) => ok(tx.put('t', 'a', {})), dead)).isErr()).toBe(true);
    expect(await keysOf(db)).toEqual([]);
  });
});

describe('constrained', () => {
  const counting = async (work: (tx: MemoryTx) => Result<unknown, never>, other: string): Promise<number> => {
    const db = open('constrained');
    await run(db, (tx) => ok(['b', 'd'].forEach((key) => tx.put('t', key, { n: 0 }))));
    const { io, attempts } = interrupted(async () => await run(db, (tx) => ok(tx.put('t', other, { n: 9 }))));
    await run(db, work, io);
    return attempts();
  };
  const copyTo = (work: (tx: MemoryTx) => unknown) => (tx: MemoryTx) => {
    work(tx);
    return ok(tx.put('t', 'z', { n: 1 }));
  };
  test.each([
    { name: 'a row that was read changes', work: copyTo((tx) => tx.get('t', 'b')), other: 'b', attempts: 2 },
    {
      name: 'a row that was missed appears',
      work: copyTo((tx) => tx.get('t', 'c')),
      other: 'c',
      attempts: 2,
    },
    { name: 'another row changes', work: copyTo((tx) => tx.get('t', 'b')), other: 'd', attempts: 1 },
    {
      name: 'a phantom comes into a range',
      work: copyTo((tx) => tx.scan('t', { from: 'a', to: 'e' })),
      other: 'c',
      attempts: 2,
    },
    {
      name: 'something comes behind the range',
      work: copyTo((tx) => tx.scan('t', { from: 'a', to: 'c' })),
      other: 'c',
      attempts: 1,
    },
    {
      name: 'something comes behind a full page',
      work: copyTo((tx) => tx.scan('t', { limit: 1 })),
      other: 'c',
      attempts: 1,
    },
    {
      name: 'something comes into a full page',
      work: copyTo((tx) => tx.scan('t', { limit: 1 })),
      other: 'a',
      attempts: 2,
    },
  ])('[B5] $name: read $attempts times', async ({ work, other, attempts }) => {
    expect(await counting(work, other)).toBe(attempts);
  });
  test('[B5] a transaction that always conflicts returns an error in the end', async () => {
    const db = open('constrained');
    let n = 0;
    const io: Io = (op, work) => {
      if (op.name.endsWith('.commit')) db.commits.push([{ table: 't', key: 'a' }]);
      n++;
      return direct(op, work);
    };
    const lost = await run(db, (tx) => ok(tx.put('t', 'b', { was: tx.get('t', 'a') ?? null })), io);
    expect(lost._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
    expect(n).toBe(2 * db.limits.attemptsMax);
  });
  test('[B5] more than 1000 rows in a result or 1 MB in a transaction throws', async () => {
    const fill = (db: MemoryDatabase, rows: number) =>
      run(db, (tx) => ok(Array.from({ length: rows }, (_, i) => tx.put('t', `k${i}`, { i }))));
    const plain = open('plain');
    const db = open('constrained');
    await fill(db, 1_000);
    expect(await keysOf(db)).toHaveLength(1_000);
    await run(db, (tx) => ok(tx.put('t', 'one more', {})));
    await expect(keysOf(db)).rejects.toThrow('1001 rows');
    const big = (bytes: number) => (tx: MemoryTx) => ok(tx.put('t', 'big', { value: new Uint8Array(bytes) }));
    await expect(Promise.resolve(run(db, big(1_000_001)))).rejects.toThrow('bytes in one transaction');
    await fill(plain, 1_001);
    expect(await keysOf(plain)).toHaveLength(1_001);
    expect((await run(plain, big(2_000_000))).isOk()).toBe(true);
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';
import { bumpOn, createCounterTable, onCommit, onRead, READ, storedOn } from '../testing/counter-table.ts';
import { connectTo } from '../testing/open-ydb.ts';
import { startStandIn, type StandIn } from '../testing/stand-in/stand-in.ts';
import type { YdbClient, YdbOptions } from './client.ts';

let standIn: StandIn;
let client: YdbClient;
const opened: YdbClient[] = [];
const connect = async (options: Partial<YdbOptions> = {}): Promise<YdbClient> => {
  const one = await connectTo(standIn.connectionString, { directory: 'd', ...options });
  opened.push(one);
  return one;
};
beforeEach(async () => {
  standIn = await startStandIn();
  client = await connect();
  await createCounterTable(client);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await standIn.close();
});
const called = (name: string): number => standIn.calls.filter((one) => one === name).length;
/** One attempt, and no patience. */
const once = { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 1 };
const hasty = { fast: once, slow: once, withinMs: 10_000 };

describe('silent nodes', () => {
  test('[X16] the creation of a session is bounded in time, and its slot is given back', async () => {
    const narrow = await connect({ sessionsMax: 1, sessionCreateMs: 60, retry: hasty });
    standIn.faults.add('CreateSession', { kind: 'hang' });
    expect((await bumpOn(narrow))._unsafeUnwrapErr()).toMatchObject({ retryable: true });
    expect((await bumpOn(narrow))._unsafeUnwrap()).toBe(1);
  });
  test('[X16] sessions of a silent node do not fill the pool for good', async () => {
    const narrow = await connect({ sessionsMax: 1, sessionCreateMs: 20, sessionWaitMs: 20, retry: hasty });
    standIn.faults.add('CreateSession', { kind: 'hang' }, { times: 30 });
    for (let i = 0; i < 30; i++) expect((await bumpOn(narrow)).isErr()).toBe(true);
    expect((await bumpOn(narrow))._unsafeUnwrap()).toBe(1);
  });
  test('[X16] a session that arrives late is used by the next call', async () => {
    const narrow = await connect({ sessionsMax: 1, retry: hasty, sessionCreateMs: 100 });
    standIn.faults.add('CreateSession', { kind: 'late', ms: 200 });
    expect((await bumpOn(narrow)).isErr()).toBe(true);
    await eventually(() => expect(standIn.faults.late).toBe(0));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = called('CreateSession');
    expect((await bumpOn(narrow))._unsafeUnwrap()).toBe(1);
    expect(called('CreateSession')).toBe(before);
  });
  test('[X16] a connection that carries nothing any more is noticed while a call waits', async () => {
    const watched = await connect({ pingMs: 100, echoMs: 100, operationMs: 20_000 });
    expect((await bumpOn(watched))._unsafeUnwrap()).toBe(1);
    await client.close();
    standIn.freeze();
    const startedMs = Date.now();
    expect((await bumpOn(watched))._unsafeUnwrap()).toBe(2);
    expect(Date.now() - startedMs).toBeLessThan(10_000);
  });
});

test.each([13, 10])(
  '[X16] gRPC error %d of the creation of a session is tried again: nothing was sent',
  async (code) => {
    const fresh = await connect({ sessionsMax: 1 });
    standIn.faults.add('CreateSession', { kind: 'grpc', code });
    expect((await bumpOn(fresh))._unsafeUnwrap()).toBe(1);
  },
);
test.each([13, 10])('[X16] after gRPC error %d of a commit the next call has a new session', async (code) => {
  const single = await connect({ sessionsMax: 1 });
  expect((await bumpOn(single))._unsafeUnwrap()).toBe(1);
  const before = called('CreateSession');
  standIn.faults.add('ExecuteDataQuery', { kind: 'applyThenGrpc', code }, onCommit);
  expect((await bumpOn(single))._unsafeUnwrapErr()).toMatchObject({ retryable: true });
  expect(await storedOn(single)).toBe(2);
  expect(called('CreateSession')).toBe(before + 1);
});

describe('rollbacks', () => {
  test('[X16] a statement that failed for good is not rolled back: the server has done that', async () => {
    const second = (request: object): boolean =>
      ((request as { txControl?: { txId?: string } }).txControl?.txId ?? '') !== '';
    standIn.faults.add('ExecuteDataQuery', { kind: 'refuse', status: 'GENERIC_ERROR' }, { when: second });
    const failed = await client.write('twice', async (tx) => {
      await tx.run(READ, { id: 'x' });
      await tx.run(READ, { id: 'y' });
    });
    expect(failed._unsafeUnwrapErr()).toMatchObject({ retryable: false });
    expect(called('RollbackTransaction')).toBe(0);
  });
  test.each(['NOT_FOUND', 'ABORTED', 'OVERLOADED'] as const)(
    '[X16] a rollback that is answered by %s is not repeated, and its session is not used again',
    async (status) => {
      const single = await connect({ sessionsMax: 1 });
      standIn.faults.add('RollbackTransaction', { kind: 'refuse', status }, { times: 20 });
      const failed = await single.write('broken', async (tx) => {
        await tx.run(READ, { id: 'x' });
        throw new Error('bug');
      });
      expect(failed._unsafeUnwrapErr()).toMatchObject({ retryable: false, cause: new Error('bug') });
      expect(called('RollbackTransaction')).toBe(1);
      standIn.faults.clear();
      const before = called('CreateSession');
      expect((await bumpOn(single))._unsafeUnwrap()).toBe(1);
      expect(called('CreateSession')).toBe(before + 1);
    },
  );
  test('[X16] work that has read keeps its outcome if the rollback fails', async () => {
    standIn.faults.add('RollbackTransaction', { kind: 'drop' });
    const found = await client.read('stored', async (tx) => (await tx.run(READ, { id: 'x' }))[0].length);
    expect(found._unsafeUnwrap()).toBe(0);
  });
});
test('[X16] a silent node gives its slot back: later calls succeed', async () => {
  const single = await connect({ sessionsMax: 1, operationMs: 50, graceMs: 50, retry: hasty });
  for (let i = 0; i < 5; i++) {
    standIn.faults.add('ExecuteDataQuery', { kind: 'hang' }, onRead);
    expect((await bumpOn(single)).isErr()).toBe(true);
  }
  expect((await bumpOn(single))._unsafeUnwrap()).toBe(1);
});

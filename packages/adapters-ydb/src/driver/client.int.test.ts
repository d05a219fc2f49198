import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import { eventually, realClock, realRandom } from '@doska/core/kernel/testing';
import {
  bumpOn,
  createCounterTable,
  onCommit,
  onRead,
  row,
  storedOn,
  valueOf,
  WRITE,
} from '../testing/counter-table.ts';
import { connectTo } from '../testing/open-ydb.ts';
import type { Fault } from '../testing/stand-in/server/faults.ts';
import { startStandIn, type StandIn } from '../testing/stand-in/stand-in.ts';
import { connectYdb, type YdbClient, type YdbOptions } from './client.ts';
import { defaultRetryPolicy } from './transaction.ts';

let standIn: StandIn;
let client: YdbClient;
/** A clock whose pauses are recorded and take no time. */
let pauses: number[];
const impatient: YdbOptions['clock'] = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    if (ms >= 1_000) return realClock.after(ms, work);
    pauses.push(ms);
    return realClock.after(0, work);
  },
};
const again = (options: Partial<YdbOptions> = {}) =>
  connectTo(standIn.connectionString, { directory: 'd', ...options });
const unhandled: unknown[] = [];
const note = (cause: unknown): void => void unhandled.push(cause);
beforeEach(async () => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
  pauses = [];
  standIn = await startStandIn();
  client = await again({ clock: impatient });
  await createCounterTable(client);
  standIn.calls.length = 0;
});
afterEach(async () => {
  await client.close();
  await standIn.close();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const bump = (idempotent = false, on = client) => bumpOn(on, idempotent);
const stored = (on = client) => storedOn(on);
const plan = (fault: Fault, where = onCommit, times = 1) =>
  standIn.faults.add('ExecuteDataQuery', fault, { ...where, times });
const executed = () => standIn.calls.filter((name) => name === 'ExecuteDataQuery').length;

test('[Y6] [G12] an unreachable server is an error value, and no promise rejection escapes', async () => {
  const { logger } = silentTelemetry;
  const failed = await connectYdb({
    connectionString: 'grpc://127.0.0.1:1/local',
    clock: realClock,
    random: realRandom,
    logger,
    connectMs: 300,
    connect: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 2 },
  });
  expect(failed._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
});
test('[Y6] [G12] the client connects again after a failed attempt', async () => {
  standIn.faults.add('ListEndpoints', { kind: 'refuse', status: 'GENERIC_ERROR' }, { times: 2 });
  const other = await again({ clock: impatient });
  expect(standIn.calls.filter((name) => name === 'ListEndpoints')).toHaveLength(3);
  expect(await stored(other)).toBe(undefined);
  await other.close();
  await other.close();
});

test('[Y1] [G12] a transaction that lost a race runs again from the start; commitTransaction is never called', async () => {
  let runs = 0;
  const outcome = await client.write('bump', async (tx) => {
    const n = (await valueOf(tx, 'x')) + 1;
    if (++runs === 1) (await bump(false, client))._unsafeUnwrap();
    await tx.commit(WRITE, { all: [row('x', n)] });
    return n;
  });
  expect(outcome._unsafeUnwrap()).toBe(2);
  expect(runs).toBe(2);
  expect(await stored()).toBe(2);
  expect(standIn.calls).not.toContain('CommitTransaction');
});
test.each(['ABORTED', 'BAD_SESSION', 'SESSION_BUSY', 'NOT_FOUND', 'OVERLOADED'] as const)(
  '[G12] %s at the commit is tried again: surely nothing was done',
  async (status) => {
    plan({ kind: 'refuse', status }, onCommit, 2);
    expect((await bump())._unsafeUnwrap()).toBe(1);
    expect(await stored()).toBe(1);
    expect(pauses.length).toBeGreaterThanOrEqual(2);
  },
);
test('[G12] the pause after an overloaded answer is longer than after a lost race', async () => {
  plan({ kind: 'refuse', status: 'ABORTED' });
  (await bump())._unsafeUnwrap();
  const short = Math.max(...pauses);
  pauses.length = 0;
  plan({ kind: 'refuse', status: 'OVERLOADED' });
  (await bump())._unsafeUnwrap();
  expect(Math.max(...pauses)).toBeGreaterThan(short);
});
test.each([
  { kind: 'applyThenRefuse', status: 'UNDETERMINED' },
  { kind: 'applyThenRefuse', status: 'UNAVAILABLE' },
  { kind: 'applyThenRefuse', status: 'TIMEOUT' },
  { kind: 'applyThenRefuse', status: 'SESSION_EXPIRED' },
  { kind: 'applyThenGrpc', code: 13 },
  { kind: 'applyThenGrpc', code: 10 },
  { kind: 'applyThenGrpc', code: 8 },
  { kind: 'applyThenDrop' },
] as const)(
  '[Y12] [G12] an unknown outcome is told, not guessed; what is idempotent is repeated: %o',
  async (fault) => {
    plan(fault);
    expect((await bump())._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      what: 'bump',
      retryable: true,
    });
    expect(await stored()).toBe(1);
    plan(fault);
    expect((await bump(true))._unsafeUnwrap()).toBe(3);
    expect(await stored()).toBe(3);
  },
);
test.each([
  { kind: 'drop' },
  { kind: 'refuse', status: 'UNAVAILABLE' },
  { kind: 'grpc', code: 13 },
  { kind: 'grpc', code: 10 },
] as const)('[G12] what fails before the commit was sent is tried again: %o', async (fault) => {
  plan(fault, onRead);
  expect((await bump())._unsafeUnwrap()).toBe(1);
  expect(await stored()).toBe(1);
});
test('[Y11] [G12] a call without an answer is given up, and so is its session', async () => {
  const quick = await again({ operationMs: 100, graceMs: 100 });
  plan({ kind: 'applyThenHang' });
  expect((await bump(false, quick))._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
    retryable: true,
  });
  expect(await stored()).toBe(1);
  await eventually(() => expect(standIn.calls).toContain('DeleteSession'));
  expect((await bump(false, quick))._unsafeUnwrap()).toBe(2);
  await quick.close();
});
test('[G12] a session that cannot be deleted does not disturb other calls', async () => {
  standIn.faults.add('DeleteSession', { kind: 'refuse', status: 'GENERIC_ERROR' });
  plan({ kind: 'refuse', status: 'TIMEOUT' });
  expect((await bump()).isErr()).toBe(true);
  await eventually(() => expect(standIn.faults.left).toBe(0));
  expect((await bump())._unsafeUnwrap()).toBe(1);
});
test('[Y10] [G12] retries are bounded in number', async () => {
  plan({ kind: 'refuse', status: 'ABORTED' }, onCommit, 1_000);
  expect((await bump())._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
  expect(executed()).toBe(2 * defaultRetryPolicy.fast.attemptsMax!);
  standIn.faults.clear();
});
test('[Y10] [G12] retries are bounded in time', async () => {
  const often = { firstMs: 20, factor: 1, maxMs: 20, jitter: 0, attemptsMax: 1_000 };
  const brief = await again({ retry: { fast: often, slow: often, withinMs: 200 } });
  plan({ kind: 'refuse', status: 'BAD_SESSION' }, onRead, 1_000);
  const startedMs = Date.now();
  expect((await bump(false, brief))._unsafeUnwrapErr()).toMatchObject({ retryable: true });
  expect(Date.now() - startedMs).toBeLessThan(5_000);
  expect(executed()).toBeLessThanOrEqual(11);
  standIn.faults.clear();
  await brief.close();
});
test.each(['GENERIC_ERROR', 'BAD_REQUEST', 'PRECONDITION_FAILED', 'UNSUPPORTED'] as const)(
  '[G12] %s is final',
  async (status) => {
    plan({ kind: 'refuse', status });
    expect((await bump())._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: false });
    expect(executed()).toBe(2);
  },
);
test.each(['SCHEME_ERROR', 'UNAUTHORIZED'] as const)(
  '[G12] [X1] %s is not repeated at once, but may pass later: an operator can repair it',
  async (status) => {
    plan({ kind: 'refuse', status });
    expect((await bump())._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
    expect(executed()).toBe(2);
  },
);
test('[Y2] [G12] an exception in the work rolls its writes back, and the next transaction is clean', async () => {
  const failed = await client.write('broken', async (tx) => {
    await tx.run(WRITE, { all: [row('x', 99)] });
    throw new Error('bug');
  });
  expect(failed._unsafeUnwrapErr()).toMatchObject({ retryable: false, cause: new Error('bug') });
  expect(standIn.sessions.openTransactions).toBe(0);
  expect((await bump())._unsafeUnwrap()).toBe(1);
});
test('[Y2] [G12] work that reads and writes nothing leaves no transaction open', async () => {
  expect((await client.write('look', (tx) => valueOf(tx, 'x')))._unsafeUnwrap()).toBe(0);
  expect(standIn.sessions.openTransactions).toBe(0);
});
test('[G12] after its commit a transaction takes no more statements', async () => {
  const failed = await client.write('late', async (tx) => {
    await tx.commit(WRITE, { all: [row('x', 1)] });
    await tx.commit(WRITE, { all: [row('x', 2)] });
  });
  expect(failed._unsafeUnwrapErr().retryable).toBe(false);
  expect(await stored()).toBe(1);
});

test('[Y11] [G12] sessions are bounded; a caller that waits too long for one gets an error, and nothing is sent', async () => {
  const narrow = await again({ sessionsMax: 2, waitingMax: 40 });
  const before = standIn.sessions.size;
  const done = await Promise.all(Array.from({ length: 42 }, () => bump(false, narrow)));
  expect(done.every((outcome) => outcome.isOk())).toBe(true);
  expect(standIn.sessions.size - before).toBeLessThanOrEqual(2);
  expect(await stored()).toBe(42);
  await narrow.close();
  const single = await again({
    sessionsMax: 1,
    sessionWaitMs: 50,
    operationMs: 300,
    graceMs: 300,
    retry: {
      fast: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 1 },
      slow: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 1 },
      withinMs: 1_000,
    },
  });
  plan({ kind: 'hang' }, onRead);
  const [hung, late] = await Promise.all([bump(false, single), bump(false, single)]);
  expect([hung.isErr(), late.isErr()]).toEqual([true, true]);
  expect(await stored()).toBe(42);
  await single.close();
});
test('[Y11] [G12] no session is created before the first call, and an expired one is not used again', async () => {
  const single = await again({ sessionsMax: 1 });
  expect(standIn.calls).not.toContain('CreateSession');
  (await bump(false, single))._unsafeUnwrap();
  plan({ kind: 'refuse', status: 'SESSION_EXPIRED' }, onRead);
  (await bump(false, single))._unsafeUnwrap();
  expect(standIn.calls.filter((name) => name === 'CreateSession')).toHaveLength(2);
  await single.close();
});
test('[G12] calls fail while the server is down and succeed when it is back; no promise rejection escapes', async () => {
  const watched = await again({
    keepAliveMs: 20,
    retry: {
      fast: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 2 },
      slow: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 2 },
      withinMs: 1_000,
    },
  });
  expect((await bump(false, watched))._unsafeUnwrap()).toBe(1);
  await eventually(() =>
    expect(standIn.calls.filter((name) => name === 'KeepAlive').length).toBeGreaterThan(1),
  );
  await standIn.away();
  expect((await bump(false, watched))._unsafeUnwrapErr()).toMatchObject({ retryable: true });
  await standIn.back();
  await eventually(async () => expect((await bump(false, watched)).isOk()).toBe(true));
  await watched.close();
});

import { setTimeout as pause } from 'node:timers/promises';
import { ok } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { echo } from '../testing/echo-service.ts';
import { Echo, running, type Running } from '../testing/echo.ts';
import { type CallContext } from './service.ts';

let open: Running | undefined;
const serve = async (...args: Parameters<typeof running>): Promise<Running> =>
  (open = await running(...args));
afterEach(async () => {
  await open?.close();
  open = undefined;
});

test("[B16] the client's deadline aborts the handler's signal", async () => {
  let seen: CallContext | undefined;
  const { channel } = await serve([
    echo({ say: (_request, call) => ((seen = call), new Promise(() => undefined)) }),
  ]);
  const late = await channel.client(Echo).say({ text: 'a' }, { deadlineMs: 100 });
  expect(late._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
    retryable: true,
    what: '/test.v1.Echo/Say: DEADLINE_EXCEEDED',
  });
  await expect.poll(() => seen?.signal.aborted).toBe(true);
});

test('[B16] a call has a deadline of ours also when the client gives a longer one', async () => {
  const { channel, lines } = await serve([echo({ say: () => new Promise(() => undefined) })], {
    limits: { callMsMax: 80 },
  });
  const late = await channel.client(Echo).say({ text: 'a' }, { deadlineMs: 30_000 });
  expect(late._unsafeUnwrapErr()).toMatchObject({ what: '/test.v1.Echo/Say: DEADLINE_EXCEEDED' });
  expect(lines).toMatchObject([{ code: 'DEADLINE_EXCEEDED' }]);
});

test('[B16] a client that leaves in the middle of its requests aborts the call', async () => {
  let outcome: unknown = 'running';
  const { channel, lines } = await serve([
    echo({
      sum: async (requests) => {
        try {
          for await (const _ of requests);
          outcome = 'whole';
        } catch (cause) {
          outcome = (cause as Error).name;
        }
        return ok({ n: 0 });
      },
    }),
  ]);
  const leave = new AbortController();
  async function* slow(): AsyncIterable<{ n: number }> {
    yield { n: 1 };
    setTimeout(() => leave.abort(), 50);
    await pause(300);
    yield { n: 2 };
  }
  expect((await channel.client(Echo).sum(slow(), { signal: leave.signal })).isErr()).toBe(true);
  await expect.poll(() => outcome).toBe('CallAborted');
  expect(lines).toMatchObject([{ code: 'CANCELLED' }]);
});

test('[B16] a source of requests that fails cancels the call', async () => {
  const { channel } = await serve([echo()]);
  async function* failing(): AsyncIterable<{ n: number }> {
    yield { n: 1 };
    throw new Error('disk');
  }
  expect((await channel.client(Echo).sum(failing())).isErr()).toBe(true);
});

test('[B16] a stream is produced no faster than it is read', async () => {
  let produced = 0;
  let closed = false;
  const { channel } = await serve([
    echo({
      count: async function* () {
        try {
          for (; produced < 100_000; produced += 1) yield ok({ n: produced, pad: 'x'.repeat(10_000) });
        } finally {
          closed = true;
        }
      },
    }),
  ]);
  const stream = channel.client(Echo).count({ n: 1 })[Symbol.asyncIterator]();
  await stream.next();
  await pause(300);
  expect(produced).toBeLessThan(5_000);
  await stream.return?.();
  await expect.poll(() => closed).toBe(true);
});

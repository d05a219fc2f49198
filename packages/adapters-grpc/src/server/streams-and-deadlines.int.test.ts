import { setTimeout as pause } from 'node:timers/promises';
import { ok } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { collect, echo } from '../testing/echo-service.ts';
import { Echo, running, type Running } from '../testing/echo.ts';
import { type CallContext } from '@doska/adapters-rpc';

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

test('[B16] a method that may take longer has a deadline of its own', async () => {
  const slow = async (text: string) => {
    await new Promise((resolve) => void setTimeout(resolve, 400));
    return ok({ text });
  };
  const service = { ...echo({ say: ({ text }) => slow(text) }), msMax: { say: 30_000 } };
  const { channel } = await serve([service], { limits: { callMsMax: 80 } });
  expect(await channel.client(Echo).say({ text: 'a' }, { deadlineMs: 30_000 })).toEqual(ok({ text: 'a' }));
});

/** Stops the event loop for `ms` again and again, as on a machine with too few cores. */
const withBusyLoop = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  const timer = setInterval(() => {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs);
  }, 1);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
};

test.each([0, 30])(
  '[B16] a client that leaves in the middle of its requests aborts the call, while the event loop stops for %i ms',
  async (stopMs) => {
    let outcome: unknown = 'running';
    const leave = new AbortController();
    const { channel, lines } = await serve([
      echo({
        sum: async (requests) => {
          try {
            for await (const _ of requests) setTimeout(() => leave.abort(), 50);
            outcome = 'whole';
          } catch (cause) {
            outcome = (cause as Error).name;
          }
          return ok({ n: 0 });
        },
      }),
    ]);
    async function* slow(): AsyncIterable<{ n: number }> {
      yield { n: 1 };
      await pause(60_000, undefined, { ref: false });
      yield { n: 2 };
    }
    const answer = await withBusyLoop(stopMs, async () => {
      const result = await channel.client(Echo).sum(slow(), { signal: leave.signal });
      await expect.poll(() => outcome, { timeout: 5_000 }).not.toBe('running');
      return result;
    });
    expect(answer.isErr()).toBe(true);
    expect(outcome).toBe('CallAborted');
    expect(lines).toMatchObject([{ code: 'CANCELLED' }]);
  },
);

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

test('[X12] streams have a bound of their own, and other calls still get in', async () => {
  const never = async function* () {
    await new Promise(() => undefined);
    yield ok({ n: 0 });
  };
  const { channel } = await serve([echo({ count: never })], { limits: { streamsMax: 2, callsMax: 10 } });
  const client = channel.client(Echo);
  const open = new AbortController();
  const streams = [1, 2].map((n) =>
    client.count({ n }, { signal: open.signal })[Symbol.asyncIterator]().next(),
  );
  await pause(50);
  const [third] = await collect(client.count({ n: 3 }));
  expect(third?._unsafeUnwrapErr()).toMatchObject({ kind: 'TooManyRequests' });
  expect((await client.say({ text: 'a' }))._unsafeUnwrap()).toEqual({ text: 'a' });
  open.abort();
  await Promise.all(streams);
});

test('[X12] a stream whose client reads nothing ends, and makes room', async () => {
  let produced = 0;
  let isOver = false;
  const big = 'x'.repeat(100_000);
  const chatter = async function* () {
    try {
      for (; ; produced += 1) yield ok({ text: big });
    } finally {
      isOver = true;
    }
  };
  const { channel, lines } = await serve([echo({ chat: chatter as never })], {
    limits: { streamIdleMs: 100, streamsMax: 1 },
  });
  async function* silence(): AsyncIterable<{ text: string }> {
    await pause(5_000);
    yield { text: '' };
  }
  const unread = channel.client(Echo).chat(silence())[Symbol.asyncIterator]();
  await unread.next();
  await expect.poll(() => isOver, { timeout: 5_000 }).toBe(true);
  await expect.poll(() => lines).toMatchObject([{ code: 'ABORTED' }]);
  expect(produced).toBeLessThan(100);
  await unread.return?.();
});

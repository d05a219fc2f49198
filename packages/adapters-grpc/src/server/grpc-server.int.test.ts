import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { invalidInput, type Access } from '@doska/core/kernel';
import { err, ok, okAsync, type Result } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import {
  away,
  Echo,
  namedCallers,
  operatorsOnly,
  realClock,
  recordingTelemetry,
  running,
  type Running,
} from '../testing/echo.ts';
import { grpcServer } from './grpc-server.ts';
import { grpcService, type CallContext, type ServiceRegistration } from './service.ts';

type Handlers = ServiceRegistration<typeof Echo>['handlers'];
const handlers: Handlers = {
  say: ({ text }) => okAsync({ text }),
  count: async function* ({ n }) {
    for (let i = 0; i < n; i += 1) yield ok({ n: i });
  },
  sum: async (numbers) => {
    let n = 0;
    for await (const number of numbers) n += number.n;
    return ok({ n });
  },
  chat: async function* (says) {
    for await (const { text } of says) yield ok({ text: text.toUpperCase() });
  },
};
const echo = (
  changed: Partial<Handlers> = {},
  access: Partial<Record<keyof Handlers, Access>> = {},
  errors = {},
) =>
  grpcService({
    definition: Echo,
    handlers: { ...handlers, ...changed },
    access: { ...operatorsOnly, ...access },
    errors,
  });

let open: Running | undefined;
const serve = async (...args: Parameters<typeof running>): Promise<Running> =>
  (open = await running(...args));
afterEach(async () => {
  await open?.close();
  open = undefined;
});
async function* numbers(upTo: number): AsyncIterable<{ n: number }> {
  for (let n = 1; n <= upTo; n += 1) yield { n };
}
const collect = async <T>(results: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
};

test('[B16] all four shapes of methods answer', async () => {
  const client = (await serve([echo()])).channel.client(Echo);
  expect(await client.say({ text: 'a' })).toEqual(ok({ text: 'a' }));
  expect(await collect(client.count({ n: 3 }))).toEqual([ok({ n: 0 }), ok({ n: 1 }), ok({ n: 2 })]);
  expect(await client.sum(numbers(100))).toEqual(ok({ n: 5050 }));
  async function* says(): AsyncIterable<{ text: string }> {
    yield* [{ text: 'a' }, { text: 'b' }];
  }
  expect(await collect(client.chat(says()))).toEqual([ok({ text: 'A' }), ok({ text: 'B' })]);
});

test('[B17] a method without a declared access keeps the server from starting, and is named', async () => {
  const { say: _, ...without } = operatorsOnly;
  const started = await grpcServer({
    listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
    services: [grpcService({ definition: Echo, handlers, access: without as typeof operatorsOnly })],
    authenticator: namedCallers,
    clock: realClock,
    ids: { next: () => 'id' },
    telemetry: recordingTelemetry().telemetry,
  });
  expect(started).toEqual(err({ kind: 'AccessUndeclared', methods: ['test.v1.Echo/Say'] }));
});

test.each([
  {
    name: 'no token',
    token: undefined,
    error: { kind: 'Unauthenticated', reason: 'a bearer token is needed' },
  },
  { name: 'a bad token', token: 'eve', error: { kind: 'Unauthenticated', reason: 'unknown token' } },
  { name: 'another role', token: 'seller', error: { kind: 'PermissionDenied', needs: ['operator'] } },
])('[B17] $name is refused before the request is read', async ({ token, error }) => {
  const { channel, server } = await serve([
    echo({
      say: () => {
        throw new Error('reached');
      },
    }),
  ]);
  channel.close();
  const { grpcChannel } = await import('../client/grpc-channel.ts');
  const stranger = grpcChannel({
    target: `127.0.0.1:${server.port}`,
    clock: realClock,
    ...(token ? { token } : {}),
  });
  expect(await stranger.client(Echo).say({ text: 'a' })).toEqual(err(error));
  expect(await collect(stranger.client(Echo).count({ n: 1 }))).toEqual([err(error)]);
  stranger.close();
});

test('[B17] a public method answers without a token and is limited by address', async () => {
  const service = echo({}, { say: { public: { ratePerMinute: 2 } } });
  const { channel } = await serve([service], {}, { token: 'seller' });
  const client = channel.client(Echo);
  expect((await client.say({ text: 'a' })).isOk()).toBe(true);
  expect((await client.say({ text: 'a' })).isOk()).toBe(true);
  const refused = (await client.say({ text: 'a' }))._unsafeUnwrapErr();
  expect(refused).toEqual({ kind: 'TooManyRequests', retryAfterMs: expect.any(Number) });
});

test('[B16] typed errors arrive as they were meant', async () => {
  const violations = [{ path: 'title', code: 'Required', message: 'a title is needed' }];
  const answers: Record<string, Result<never, { kind: string }>> = {
    invalid: err(invalidInput(...violations)),
    away: err(away),
    broken: err({ ...away, retryable: false }),
    missing: err({ kind: 'DraftNotFound' }),
    unknown: err({ kind: 'NobodyMappedMe', secret: 'hush' } as { kind: string }),
  };
  const { channel, lines } = await serve([
    echo({ say: async ({ text }) => answers[text]! }, {}, { DraftNotFound: 'NOT_FOUND' }),
  ]);
  const client = channel.client(Echo);
  const said = async (text: string) => (await client.say({ text }))._unsafeUnwrapErr();
  expect(await said('invalid')).toEqual({ kind: 'InvalidInput', violations });
  expect(await said('missing')).toEqual({
    kind: 'Rejected',
    reason: 'DraftNotFound',
    code: 'NOT_FOUND',
    message: 'DraftNotFound',
  });
  const unavailable = await said('away');
  expect(unavailable).toMatchObject({ kind: 'Unavailable', retryable: true });
  expect(await said('broken')).toMatchObject({ kind: 'Unavailable', retryable: false });
  expect(await said('unknown')).toMatchObject({ kind: 'Unavailable', retryable: false });
  // What only we may know stays in the log.
  expect(String((unavailable as { cause?: unknown }).cause)).not.toMatch(/password|secret/);
  expect(lines.filter(({ error }) => error !== undefined).map(({ level }) => level)).toEqual([
    'warn',
    'warn',
    'error',
  ]);
});

test('[B16] an exception is INTERNAL with the id of the request, logged once, and tells nothing', async () => {
  const { channel, lines } = await serve([
    echo({
      say: () => {
        throw new Error('secret plan');
      },
    }),
  ]);
  const failed = (
    await channel.client(Echo).say({ text: 'a' }, { metadata: { 'x-request-id': 'req-7' } })
  )._unsafeUnwrapErr();
  expect(failed).toMatchObject({ kind: 'Unavailable', retryable: false });
  expect(String((failed as { cause?: unknown }).cause)).toContain('internal error, request req-7');
  expect(JSON.stringify(failed)).not.toContain('secret plan');
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'error',
      requestId: 'req-7',
      code: 'INTERNAL',
      error: new Error('secret plan'),
    }),
  ]);
});

test('[B16] a stream that fails in the middle delivers what it had, then the error', async () => {
  const { channel } = await serve([
    echo(
      {
        count: async function* () {
          yield ok({ n: 1 });
          yield err({ kind: 'DraftNotFound' });
        },
      },
      {},
      { DraftNotFound: 'NOT_FOUND' },
    ),
  ]);
  expect(await collect(channel.client(Echo).count({ n: 1 }))).toEqual([
    ok({ n: 1 }),
    err(expect.objectContaining({ reason: 'DraftNotFound' })),
  ]);
});

test('[B16] every call is a line with its ids and is counted', async () => {
  const { channel, lines, counts, parents } = await serve(
    [echo()],
    {},
    { tracer: { span: (_n, _o, work) => work(), context: () => ({ traceparent: '00-a' }) } },
  );
  await channel.client(Echo).say({ text: 'a' });
  expect(lines).toEqual([
    {
      level: 'info',
      message: 'grpc call',
      method: '/test.v1.Echo/Say',
      code: 'OK',
      ms: expect.any(Number),
      requestId: 'id-1',
      caller: 'ann',
      address: '127.0.0.1',
    },
  ]);
  expect(parents).toEqual([{ traceparent: '00-a' }]);
  expect(Object.fromEntries(counts)).toEqual({
    'doska_grpc_requests_total /test.v1.Echo/Say OK': 1,
    'doska_grpc_request_seconds /test.v1.Echo/Say': 1,
  });
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

test('[B16] requests over the size are refused', async () => {
  const { channel } = await serve([echo()], { limits: { requestBytesMax: 1_000 } });
  const client = channel.client(Echo);
  expect((await client.say({ text: 'x'.repeat(900) })).isOk()).toBe(true);
  expect((await client.say({ text: 'x'.repeat(1_100) }))._unsafeUnwrapErr()).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
  });
});

test('[B16] bytes that are no message are the fault of the client', async () => {
  const { channel } = await serve([echo()]);
  const raw = { encode: () => ({ finish: () => Buffer.from('{') }), decode: () => ({}) };
  const spoiled = {
    ...Echo,
    methods: {
      say: { ...Echo.methods.say, requestType: raw },
      sum: { ...Echo.methods.sum, requestType: raw },
    },
  };
  expect((await channel.client(spoiled).say({}))._unsafeUnwrapErr().kind).toBe('InvalidInput');
  expect((await channel.client(spoiled).sum(numbers(1)))._unsafeUnwrapErr().kind).toBe('InvalidInput');
});

test('[B16] calls beyond the bound are refused at once, and room comes back', async () => {
  const releases: (() => void)[] = [];
  const { channel } = await serve(
    [echo({ say: () => new Promise((resolve) => releases.push(() => resolve(ok({ text: '' })))) })],
    { limits: { callsMax: 2 } },
  );
  const client = channel.client(Echo);
  const first = [client.say({ text: '' }), client.say({ text: '' })];
  await expect.poll(() => releases.length).toBe(2);
  expect((await client.say({ text: '' }))._unsafeUnwrapErr()).toMatchObject({ kind: 'TooManyRequests' });
  releases.forEach((release) => release());
  for (const call of first) expect((await call).isOk()).toBe(true);
  const again = client.say({ text: '' });
  await expect.poll(() => releases.length).toBe(3);
  releases[2]!();
  expect((await again).isOk()).toBe(true);
});

test('[B16] stopping lets running calls end and takes no new ones', async () => {
  let finish = (): void => undefined;
  const { channel, server } = await serve([
    echo({ say: () => new Promise((resolve) => (finish = () => resolve(ok({ text: 'done' })))) }),
  ]);
  const call = channel.client(Echo).say({ text: '' });
  await pause(100);
  const stopped = server.stop(5_000);
  await pause(50);
  finish();
  expect(await call).toEqual(ok({ text: 'done' }));
  await stopped;
  expect((await channel.client(Echo).say({ text: '' }, { deadlineMs: 500 })).isErr()).toBe(true);
});

test('[B16] stopping ends what does not end by itself, at the deadline', async () => {
  const { channel, server } = await serve([echo({ say: () => new Promise(() => undefined) })]);
  const call = channel.client(Echo).say({ text: '' });
  await pause(100);
  const before = Date.now();
  await server.stop(200);
  expect(Date.now() - before).toBeLessThan(2_000);
  expect((await call).isErr()).toBe(true);
});

test('[B16] a taken port is refused when it was chosen, and passed over when it was a default', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const base = {
    services: [echo()],
    authenticator: namedCallers,
    clock: realClock,
    ids: { next: () => 'id' },
    telemetry: recordingTelemetry().telemetry,
  };
  const refused = await grpcServer({ ...base, listen: { host: '127.0.0.1', port, whenBusy: 'refuse' } });
  expect(refused).toEqual(err({ kind: 'PortBusy', host: '127.0.0.1', port }));
  const moved = (
    await grpcServer({ ...base, listen: { host: '127.0.0.1', port, whenBusy: 'next' } })
  )._unsafeUnwrap();
  expect(moved.port).toBeGreaterThan(port);
  await moved.stop(100);
  taken.close();
});

test('[B16] a server that is not there is Unavailable and may come back', async () => {
  const { grpcChannel } = await import('../client/grpc-channel.ts');
  const channel = grpcChannel({ target: '127.0.0.1:1', clock: realClock, deadlineMs: 500 });
  expect((await channel.client(Echo).say({ text: '' }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
    retryable: true,
  });
  channel.close();
});

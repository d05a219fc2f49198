import { invalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { collect, echo, numbers } from '../testing/echo-service.ts';
import { away, Echo, running, type Running } from '../testing/echo.ts';

let open: Running | undefined;
const serve = async (...args: Parameters<typeof running>): Promise<Running> =>
  (open = await running(...args));
afterEach(async () => {
  await open?.close();
  open = undefined;
});

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

test('[B16] typed errors arrive as they were meant', async () => {
  const violations = [{ path: 'title', code: 'Required', message: 'a title is needed' }];
  const answers: Record<string, Result<never, { kind: string }>> = {
    invalid: err(invalidInput(...violations)),
    away: err(away),
    broken: err({ ...away, retryable: false }),
    missing: err({ kind: 'DraftNotFound' }),
    unknown: err({ kind: 'UnmappedError', secret: 'hush' } as { kind: string }),
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

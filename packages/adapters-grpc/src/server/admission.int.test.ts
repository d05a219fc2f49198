import { err } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { grpcChannel } from '../client/grpc-channel.ts';
import { collect, echo, echoHandlers } from '../testing/echo-service.ts';
import { namedCallers, realClock, recordingTelemetry } from '@doska/core/kernel/testing';
import { Echo, operatorsOnly, running, type Running } from '../testing/echo.ts';
import { grpcServer } from './grpc-server.ts';
import { rpcService } from '@doska/adapters-rpc';

let open: Running | undefined;
const serve = async (...args: Parameters<typeof running>): Promise<Running> =>
  (open = await running(...args));
afterEach(async () => {
  await open?.close();
  open = undefined;
});

test('[B17] a method without a declared access keeps the server from starting, and is named', async () => {
  const { say: _, ...without } = operatorsOnly;
  const started = await grpcServer({
    listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
    services: [
      rpcService({ definition: Echo, handlers: echoHandlers, access: without as typeof operatorsOnly }),
    ],
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

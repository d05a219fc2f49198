import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { grpcChannel } from '../client/grpc-channel.ts';
import { echo } from '../testing/echo-service.ts';
import { namedCallers, realClock, recordingTelemetry } from '@doska/core/kernel/testing';
import { Echo, running, type Running } from '../testing/echo.ts';
import { grpcServer } from './grpc-server.ts';

let open: Running | undefined;
const serve = async (...args: Parameters<typeof running>): Promise<Running> =>
  (open = await running(...args));
afterEach(async () => {
  await open?.close();
  open = undefined;
});

test('[B16] requests over the size are refused', async () => {
  const { channel } = await serve([echo()], { limits: { requestBytesMax: 1_000 } });
  const client = channel.client(Echo);
  expect((await client.say({ text: 'x'.repeat(900) })).isOk()).toBe(true);
  expect((await client.say({ text: 'x'.repeat(1_100) }))._unsafeUnwrapErr()).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
  });
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

test('[X14] [B16] a handler that ignores its deadline keeps its room until it ends', async () => {
  const releases: (() => void)[] = [];
  const { channel } = await serve(
    [echo({ say: () => new Promise((resolve) => releases.push(() => resolve(ok({ text: '' })))) })],
    { limits: { callsMax: 1 } },
  );
  const client = channel.client(Echo);
  const late = await client.say({ text: '' }, { deadlineMs: 50 });
  expect(late._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
  expect(releases).toHaveLength(1);
  expect((await client.say({ text: '' }))._unsafeUnwrapErr()).toMatchObject({ kind: 'TooManyRequests' });
  expect(releases).toHaveLength(1);
  releases[0]!();
  await pause(20);
  const next = client.say({ text: '' });
  await expect.poll(() => releases.length).toBe(2);
  releases[1]!();
  expect((await next).isOk()).toBe(true);
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
  const channel = grpcChannel({ target: '127.0.0.1:1', clock: realClock, deadlineMs: 500 });
  expect((await channel.client(Echo).say({ text: '' }))._unsafeUnwrapErr()).toMatchObject({
    kind: 'Unavailable',
    retryable: true,
  });
  channel.close();
});

import { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { Echo, operatorsOnly, running } from '../testing/echo.ts';
import { rpcService } from '@doska/adapters-rpc';

const SERVING = 1;
const NOT_SERVING = 2;
const service = rpcService({
  definition: { fullName: Echo.fullName, methods: { say: Echo.methods.say } },
  handlers: { say: ({ text }) => okAsync({ text }) },
  access: { say: operatorsOnly.say },
});
const request = (name: string): Buffer => Buffer.from(new BinaryWriter().uint32(10).string(name).finish());
const servingIn = (bytes: Buffer): number => {
  const reader = new BinaryReader(bytes);
  return reader.pos < reader.len && reader.tag()[0] === 1 ? reader.int32() : 0;
};
const rawClient = (port: number): Client =>
  new Client(`127.0.0.1:${port}`, ChannelCredentials.createInsecure());
const check = (client: Client, name: string): Promise<number> =>
  new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      request,
      servingIn,
      name,
      new Metadata(),
      (error, status) => (error ? reject(error) : resolve(status ?? -1)),
    ),
  );

test('[B16] health answers without a token, for the whole and for each service', async () => {
  const { server, close } = await running([service]);
  const client = rawClient(server.port);
  expect(await check(client, '')).toBe(SERVING);
  expect(await check(client, 'test.v1.Echo')).toBe(SERVING);
  await expect(check(client, 'nobody')).rejects.toThrow('NOT_FOUND');
  server.setServing(false, 'test.v1.Echo');
  expect(await check(client, 'test.v1.Echo')).toBe(NOT_SERVING);
  expect(await check(client, '')).toBe(SERVING);
  client.close();
  await close();
});

test('[B16] a watcher sees NOT_SERVING at the drain and does not keep the server from stopping', async () => {
  const { server, close } = await running([service]);
  const client = rawClient(server.port);
  const seen: number[] = [];
  const watch = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    request,
    servingIn,
    '',
    new Metadata(),
  );
  watch.on('data', (status: number) => seen.push(status)).on('error', () => undefined);
  await expect.poll(() => seen).toEqual([SERVING]);
  const before = Date.now();
  await server.stop(20_000);
  expect(Date.now() - before).toBeLessThan(5_000);
  expect(seen).toEqual([SERVING, NOT_SERVING]);
  client.close();
  await close();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import { realClock, realRandom } from '@doska/core/kernel/testing';
import { selfSigned } from '@doska/test-setup/self-signed';
import { bumpOn, createCounterTable } from '../../testing/counter-table.ts';
import { startStandIn, type StandIn, type StandInOptions } from '../../testing/stand-in/stand-in.ts';
import { connectYdb, type YdbClient, type YdbOptions } from '../client.ts';

let standIn: StandIn;
let client: YdbClient | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
  await standIn.close();
});
const start = async (options: StandInOptions = {}) => {
  standIn = await startStandIn({ needsToken: true, ...options });
};
const attempt = (credentials: YdbOptions['credentials'], options: Partial<YdbOptions> = {}) =>
  connectYdb({
    connectionString: standIn.connectionString,
    directory: 'd',
    clock: realClock,
    random: realRandom,
    logger: silentTelemetry.logger,
    connect: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 2 },
    ...(credentials ? { credentials } : {}),
    ...options,
  });
const connect = async (...given: Parameters<typeof attempt>): Promise<YdbClient> => {
  client = (await attempt(...given))._unsafeUnwrap();
  await createCounterTable(client);
  return client;
};
const logins = (): number => standIn.calls.filter((name) => name === 'Login').length;

test('[X16] without a token, or with a wrong one, the connection is refused and the reason is named', async () => {
  await start();
  expect((await attempt(undefined))._unsafeUnwrapErr().what).toBe('YDB refuses the login');
  const wrong = { kind: 'token', token: 'wrong' } as const;
  expect((await attempt(wrong))._unsafeUnwrapErr().what).toBe('YDB refuses the login');
});
test('[X16] a name and a password log in, once for many calls', async () => {
  await start();
  standIn.accounts.passwords.set('root', '1234');
  const ydb = await connect({ kind: 'password', user: 'root', password: '1234' });
  for (let n = 1; n <= 5; n++) expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(n);
  expect(logins()).toBe(1);
});
test('[X16] a wrong password is named', async () => {
  await start();
  standIn.accounts.passwords.set('root', '1234');
  const refused = await attempt({ kind: 'password', user: 'root', password: 'guess' });
  expect(refused._unsafeUnwrapErr().what).toMatch(/^the login to YDB failed: .*Invalid password/s);
});
test('[X16] login and calls go over TLS, with the given root certificate', async () => {
  const tls = selfSigned('localhost');
  await start({ tls });
  standIn.accounts.passwords.set('root', '1234');
  const password = { kind: 'password', user: 'root', password: '1234' } as const;
  const ydb = await connect(password, { rootCertificates: Buffer.from(tls.cert) });
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(1);
  const stranger = await attempt(password, { connectMs: 500 });
  expect(stranger.isErr()).toBe(true);
});
test('[X16] grpcs://host/?database=/x is the database /x', async () => {
  const tls = selfSigned('localhost');
  await start({ tls, database: '/ru/x', needsToken: false });
  const { host } = new URL(standIn.connectionString);
  const ydb = await connect(undefined, {
    connectionString: `grpcs://${host}/?database=/ru/x`,
    rootCertificates: Buffer.from(tls.cert),
  });
  expect(ydb.directory).toBe('/ru/x/d');
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(1);
});
test('[X16] the token of the machine comes from its metadata service', async () => {
  await start();
  const asked: unknown[] = [];
  const metadata = createServer((request, response) => {
    asked.push(request.headers['metadata-flavor']);
    standIn.accounts.tokens.add('of the machine');
    response.end(JSON.stringify({ access_token: 'of the machine', expires_in: 3_600 }));
  });
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void metadata.close());
  const url = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}/token`;
  const ydb = await connect({ kind: 'metadata', url });
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(1);
  expect(asked).toEqual(['Google']);
});
test('[X16] a metadata service that is away or answers something else is named', async () => {
  await start();
  const metadata = createServer((_request, response) => void response.end('{"access_token": ""}'));
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}/token`;
  const strange = await attempt({ kind: 'metadata', url });
  expect(strange._unsafeUnwrapErr().what).toContain('answers without access_token and expires_in');
  await new Promise((resolve) => metadata.close(resolve));
  const away = await attempt({ kind: 'metadata', url });
  expect(away._unsafeUnwrapErr().what).toContain('the login to YDB failed');
});
test('[X16] a token function is asked again when its token is old, and when the server refuses the token', async () => {
  await start();
  let current = 'one';
  let asked = 0;
  const nowIs = { ms: Date.now() };
  standIn.accounts.tokens.add('one');
  const ydb = await connect(
    {
      kind: 'token',
      refreshMs: 60_000,
      token: async () => {
        asked++;
        return current;
      },
    },
    { clock: { ...realClock, nowMs: () => nowIs.ms } },
  );
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(1);
  expect(asked).toBe(1);
  current = 'two';
  standIn.accounts.tokens.add('two');
  nowIs.ms += 60_000;
  // The old token is still used while the new one is on its way.
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(2);
  expect(asked).toBe(2);
  standIn.accounts.tokens.delete('one');
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(3);
  current = 'three';
  standIn.accounts.tokens.delete('two');
  standIn.accounts.tokens.add('three');
  nowIs.ms += 2_000;
  expect((await bumpOn(ydb))._unsafeUnwrapErr()).toMatchObject({ retryable: true });
  expect((await bumpOn(ydb))._unsafeUnwrap()).toBe(4);
});

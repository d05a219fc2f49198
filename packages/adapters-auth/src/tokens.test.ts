import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { Clock, Role } from '@doska/core/kernel';
import { SignJWT } from 'jose';
import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { newSecret, tokenKeys, type TokenKeyConfig } from './token-keys.ts';
import { tokenAuthenticator, tokenIssuer } from './tokens.ts';

const pair = () =>
  generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const hs = (kid: string): TokenKeyConfig & { alg: 'HS256' } => ({ kid, alg: 'HS256', secret: newSecret() });
const ed = (kid: string): TokenKeyConfig & { alg: 'EdDSA' } => ({ kid, alg: 'EdDSA', ...pair() });
const startMs = 1_700_000_000_000;
const handClock = (): Clock & { at: number } => {
  const clock = { at: startMs, nowMs: () => clock.at, after: () => () => {} };
  return clock;
};
const authority = (current: TokenKeyConfig, previous?: TokenKeyConfig, clock = handClock()) => {
  const keys = tokenKeys({ current, ...(previous ? { previous } : {}) })._unsafeUnwrap();
  const options = { keys, clock, issuer: 'doska', audience: 'doska' };
  return {
    issue: tokenIssuer(options),
    authenticate: (token: string) => tokenAuthenticator(options).authenticate(token),
    clock,
  };
};
const claims = {
  subject: 'ann',
  roles: [{ name: 'operator' }, { name: 'seller', id: '7:x' }] as Role[],
  ttlSec: 60,
};
const refused = async (result: ReturnType<ReturnType<typeof authority>['authenticate']>): Promise<string> =>
  (await result)._unsafeUnwrapErr().reason;

describe.each([
  { alg: 'HS256', make: hs },
  { alg: 'EdDSA', make: ed },
])('$alg', ({ make }) => {
  test('[B17] the caller of an issued token is known', async () => {
    const { issue, authenticate } = authority(make('k1'));
    const token = (await issue(claims))._unsafeUnwrap();
    expect(await authenticate(token)).toEqual(ok({ subject: 'ann', roles: claims.roles }));
  });

  test('[B17] rotation: the previous key verifies, the current one issues, a removed one is refused', async () => {
    const first = make('k1');
    const second = make('k2');
    const third = make('k3');
    const old = (await authority(first).issue(claims))._unsafeUnwrap();
    const rotated = authority(second, first);
    expect((await rotated.authenticate(old)).isOk()).toBe(true);
    const fresh = (await rotated.issue(claims))._unsafeUnwrap();
    expect((await authority(second).authenticate(fresh)).isOk()).toBe(true);
    expect(await refused(authority(third, second).authenticate(old))).toMatch('key we do not know');
  });

  test('[B17] a token expires at its `exp`, with a tolerance for clocks', async () => {
    const { issue, authenticate, clock } = authority(make('k1'));
    const token = (await issue(claims))._unsafeUnwrap();
    clock.at = startMs + 80_000;
    expect((await authenticate(token)).isOk()).toBe(true);
    clock.at = startMs + 95_000;
    expect(await refused(authenticate(token))).toBe('the token has expired');
  });

  test('[B17] a token that was accepted before is refused from the same second on as a new one', async () => {
    const { issue, authenticate, clock } = authority(make('k1'));
    const token = (await issue(claims))._unsafeUnwrap();
    for (const [at, isAccepted] of [
      [0, true],
      [89_999, true],
      [90_000, false],
      [90_000, false],
    ] as const) {
      clock.at = startMs + at;
      expect([at, (await authenticate(token)).isOk()]).toEqual([at, isAccepted]);
    }
  });

  test('[B17] a changed token is refused', async () => {
    const { issue, authenticate } = authority(make('k1'));
    const token = (await issue(claims))._unsafeUnwrap();
    // The right one is known: that must not help the changed one.
    expect((await authenticate(token)).isOk()).toBe(true);
    const [head, body, signature] = token.split('.') as [string, string, string];
    const forged = JSON.parse(Buffer.from(body, 'base64url').toString());
    forged.roles = ['service'];
    const spoiled = Buffer.from(JSON.stringify(forged)).toString('base64url');
    expect(await refused(authenticate(`${head}.${spoiled}.${signature}`))).toBe(
      'the token is not signed by us',
    );
  });
});

test('[B17] the public key of EdDSA is no secret for HS256', async () => {
  const key = ed('k1');
  const { authenticate } = authority(key);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'HS256', kid: 'k1' })}.${part({ sub: 'x', roles: ['operator'], iss: 'doska', aud: 'doska', exp: 9_999_999_999 })}`;
  const confused = `${unsigned}.${createHmac('sha256', key.publicKey).update(unsigned).digest('base64url')}`;
  expect(await refused(authenticate(confused))).toBe('not a token of ours');
});

test.each(['none', 'None', ''])('[B17] the algorithm «%s» is refused', async (alg) => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg, kid: 'k1' })}.${part({ sub: 'x', roles: ['operator'], iss: 'doska', aud: 'doska', exp: 9_999_999_999 })}.`;
  expect((await authority(hs('k1')).authenticate(token)).isErr()).toBe(true);
});

test.each([
  { name: 'no end', change: (jwt: SignJWT) => jwt, without: 'exp', reason: /exp/ },
  { name: 'another issuer', change: (jwt: SignJWT) => jwt.setIssuer('evil'), reason: /iss/ },
  { name: 'another audience', change: (jwt: SignJWT) => jwt.setAudience('evil'), reason: /aud/ },
  { name: 'no subject', change: (jwt: SignJWT) => jwt.setSubject(''), reason: /sub/ },
  { name: 'not valid yet', change: (jwt: SignJWT) => jwt.setNotBefore(startMs / 1000 + 100), reason: /nbf/ },
])('[B17] a well-signed token with $name is refused', async ({ change, without, reason }) => {
  const key = hs('k1');
  const jwt = new SignJWT({ roles: ['operator'] })
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .setSubject('x')
    .setIssuer('doska')
    .setAudience('doska');
  if (without !== 'exp') jwt.setExpirationTime(startMs / 1000 + 60);
  const token = await change(jwt).sign(Buffer.from(key.secret));
  expect(await refused(authority(key).authenticate(token))).toMatch(reason);
});

test('[B17] a role we do not know refuses the whole token', async () => {
  const key = hs('k1');
  const token = await new SignJWT({ roles: ['operator', 'root'] })
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .setSubject('x')
    .setIssuer('doska')
    .setAudience('doska')
    .setExpirationTime(startMs / 1000 + 60)
    .sign(Buffer.from(key.secret));
  expect(await refused(authority(key).authenticate(token))).toMatch('role');
});

test.each(['', 'x', 'a.b.c', '...', 'Bearer x', '💥'])('[B17] «%s» is refused, not a crash', async (text) => {
  expect((await authority(hs('k1')).authenticate(text)).isErr()).toBe(true);
});

test.each([
  { name: 'a short secret', key: { kid: 'k', alg: 'HS256', secret: 'short' }, path: 'current.secret' },
  { name: 'no name', key: { ...hs(''), kid: '' }, path: 'current.kid' },
  { name: 'text for a key', key: { kid: 'k', alg: 'EdDSA', publicKey: 'hunter2' }, path: 'current' },
] satisfies { name: string; key: TokenKeyConfig; path: string }[])(
  '[B17] $name is refused by its path',
  ({ key, path }) => {
    const { violations } = tokenKeys({ current: key })._unsafeUnwrapErr();
    expect(violations.map((violation) => violation.path)).toEqual([path]);
    expect(JSON.stringify(violations)).not.toMatch(/hunter2|short"/);
  },
);

test('[B17] a key without its private half verifies and does not issue', async () => {
  const { privateKey: _, ...publicOnly } = ed('k1');
  const { issue } = authority(publicOnly);
  expect((await issue(claims))._unsafeUnwrapErr().kind).toBe('InvalidInput');
});

import { errAsync, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { makeGate } from './gate.ts';
import { unauthenticatedCaller, type Caller } from './ports/caller.port.ts';
import { rateLimiter } from './rate-limit.ts';

const operator: Caller = { subject: 'ann', roles: [{ name: 'operator' }] };
const seller: Caller = { subject: 'bob', roles: [{ name: 'seller', id: '1' }] };
const known: Record<string, Caller> = { ann: operator, bob: seller };
const gate = () =>
  makeGate({
    authenticator: {
      authenticate: (token) => {
        const caller = known[token];
        return caller ? okAsync(caller) : errAsync({ kind: 'Unauthenticated', reason: 'unknown' });
      },
    },
    limiter: rateLimiter({ nowMs: () => 0, after: () => () => {} }),
  });
const knock = { name: 'm', address: '192.0.2.1' };
const operators = { roles: ['operator'] } as const;
const open = { public: { ratePerMinute: 2 } };

test.each([
  {
    name: 'a caller with the right role is admitted',
    access: operators,
    authorization: 'Bearer ann',
    outcome: ok(operator),
  },
  {
    name: 'the scheme is case-insensitive',
    access: operators,
    authorization: 'bearer ann',
    outcome: ok(operator),
  },
  {
    name: 'a caller without a token may call a public method',
    access: open,
    authorization: undefined,
    outcome: ok(unauthenticatedCaller),
  },
])('[B17] $name', async ({ outcome, ...rest }) =>
  expect(await gate()({ ...knock, ...rest })).toEqual(outcome),
);

test.each([
  {
    name: 'no token where one is needed',
    access: operators,
    authorization: undefined,
    kind: 'Unauthenticated',
  },
  { name: 'another scheme', access: operators, authorization: 'Basic ann', kind: 'Unauthenticated' },
  {
    name: 'a bad token, also where it is public',
    access: open,
    authorization: 'Bearer eve',
    kind: 'Unauthenticated',
  },
  { name: 'another role', access: operators, authorization: 'Bearer bob', kind: 'PermissionDenied' },
])('[B17] refuses $name', async ({ kind, ...rest }) => {
  expect((await gate()({ ...knock, ...rest }))._unsafeUnwrapErr().kind).toBe(kind);
});

test('[B17] public methods are limited per method and address, and a /64 counts as one address', async () => {
  const enter = gate();
  const from = async (address: string, name = 'm', authorization?: string): Promise<boolean> =>
    (await enter({ name, access: open, authorization, address })).isOk();
  expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8::3')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await from('2001:db8:0:1::1')).toBe(true);
  expect(await from('2001:db8::1', 'other')).toBe(true);
  expect(await from('2001:db8::1', 'm', 'Bearer bob')).toBe(false);
  expect(await from('2001:db8::1', 'm', 'Bearer ann')).toBe(true);
});

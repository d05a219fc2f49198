import fc from 'fast-check';
import { err } from 'neverthrow';
import { expect, test } from 'vitest';
import { addressGroup, clientAddress } from './client-address.ts';
import { rateLimiter } from './rate-limit.ts';

const handClock = (): { nowMs: () => number; after: () => () => void; at: number } => {
  const clock = { at: 0, nowMs: () => clock.at, after: () => () => {} };
  return clock;
};

test('[B17] no key gets more than one burst and its rate', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 80 }),
      (rate, pauses) => {
        const clock = handClock();
        const limiter = rateLimiter(clock);
        let allowed = 0;
        for (const pause of pauses) {
          clock.at += pause;
          if (limiter.take('a', rate).isOk()) allowed += 1;
          expect(allowed).toBeLessThanOrEqual(rate + (clock.at * rate) / 60_000 + 1e-6);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('[B17] a refusal reports the waiting time, and a request after it is allowed', () => {
  const clock = handClock();
  const limiter = rateLimiter(clock);
  expect(limiter.take('a', 2).isOk()).toBe(true);
  expect(limiter.take('a', 2).isOk()).toBe(true);
  expect(limiter.take('a', 2)).toEqual(err({ kind: 'TooManyRequests', retryAfterMs: 30_000 }));
  expect(limiter.take('b', 2).isOk()).toBe(true);
  clock.at = 30_000;
  expect(limiter.take('a', 2).isOk()).toBe(true);
});

test('[B17] an infinite rate is no limit', () => {
  const limiter = rateLimiter(handClock());
  for (let i = 0; i < 1000; i += 1) expect(limiter.take('a', Infinity).isOk()).toBe(true);
});

test('[B17] a clock that jumps back does not change the bucket', () => {
  const clock = handClock();
  clock.at = 100_000;
  const limiter = rateLimiter(clock);
  limiter.take('a', 1);
  clock.at = 0;
  expect(limiter.take('a', 1).isErr()).toBe(true);
  clock.at = 60_000;
  expect(limiter.take('a', 1).isOk()).toBe(true);
});

test('[B17] the number of stored addresses is limited, and the least recently used is dropped first', () => {
  const limiter = rateLimiter(handClock(), { keysMax: 2 });
  for (const key of ['a', 'b', 'a', 'c']) limiter.take(key, 2);
  expect(limiter.take('a', 2).isErr()).toBe(true);
  expect(limiter.take('b', 2).isOk()).toBe(true);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
  ['2001:0DB8:0:1:ffff::5', '2001:db8:0:1::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::2::3', '1::2::3'],
  ['nonsense', 'nonsense'],
])('[B17] %s is limited as %s', (address, group) => expect(addressGroup(address)).toBe(group));

test.each([
  { trustedProxies: 0, forwardedFor: '6.6.6.6', address: '10.0.0.1' },
  { trustedProxies: 1, forwardedFor: '6.6.6.6, 192.0.2.9', address: '192.0.2.9' },
  { trustedProxies: 2, forwardedFor: '6.6.6.6, 192.0.2.9, 10.0.0.2', address: '192.0.2.9' },
  { trustedProxies: 2, forwardedFor: undefined, address: '10.0.0.1' },
])('[B17] behind $trustedProxies proxies the client is $address', ({ address, ...seen }) => {
  expect(clientAddress({ peer: '10.0.0.1', ...seen })).toBe(address);
});

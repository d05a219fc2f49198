import { expect, test } from 'vitest';
import { VerifiedTokens } from './verified-tokens.ts';

const ann = { subject: 'ann', roles: [] };
const tokens = (countMax = 2, charsMax = 5): VerifiedTokens => new VerifiedTokens({ countMax, charsMax });

test.each([
  { nowSec: 100, caller: ann },
  { nowSec: 99, caller: undefined },
  { nowSec: 229, caller: ann },
  { nowSec: 230, caller: undefined },
])('[B17] a token verified at 100 that ends at 200 is known at $nowSec: $caller', ({ nowSec, caller }) => {
  const known = tokens();
  known.keep('a', { caller: ann, expSec: 200, sinceSec: 100 });
  expect(known.callerOf('b', 150, 30)).toBeUndefined();
  expect(known.callerOf('a', nowSec, 30)).toEqual(caller);
  expect(known.size).toBe(caller ? 1 : 0);
});

test('[B17] the oldest token gives way, and a long one is not kept', () => {
  const known = tokens();
  const verified = { caller: ann, expSec: 200, sinceSec: 100 };
  for (const token of ['a', 'b', 'c', 'd1234', 'e12345']) known.keep(token, verified);
  expect(['a', 'b', 'c', 'd1234', 'e12345'].filter((token) => known.callerOf(token, 100, 0))).toEqual([
    'c',
    'd1234',
  ]);
});

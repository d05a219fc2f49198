import { expect, test } from 'vitest';
import { unavailable } from '../../kernel/index.ts';
import { hostOf, isLeftAlone, isSilence } from './host-health.ts';

const patience = { failuresMax: 3, pauseMs: 1_000 };

test.each([
  [undefined, 0, false],
  [{ failures: 2, lastFailureMs: 0 }, 0, false],
  [{ failures: 3, lastFailureMs: 0 }, 0, true],
  [{ failures: 3, lastFailureMs: 0 }, 999, true],
  [{ failures: 3, lastFailureMs: 0 }, 1_000, false],
  [{ failures: 4, lastFailureMs: 1_000 }, 1_500, true],
])('[X3] a host with %j is left alone at %i ms: %s', (health, nowMs, expected) => {
  expect(isLeftAlone(health, nowMs, patience)).toBe(expected);
});
test('[X3] only a host that gives no answer is silent', () => {
  expect(isSilence(unavailable('connect'))).toBe(true);
  expect(isSilence({ kind: 'UnknownHost', host: 'h' })).toBe(true);
  expect(isSilence({ kind: 'HttpStatus', status: 503 })).toBe(false);
  expect(isSilence({ kind: 'BadUrl', url: '', reason: '' })).toBe(false);
});
test('[X3] the host of an address has its port, and what is no address has no host', () => {
  expect([hostOf('http://a.example:81/b'), hostOf('http://a.example/c'), hostOf('a\nb')]).toEqual([
    'a.example:81',
    'a.example',
    undefined,
  ]);
});

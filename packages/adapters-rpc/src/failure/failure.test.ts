import { expect, test } from 'vitest';
import { failureOf } from './failure.ts';

test.each([
  { error: { kind: 'InvalidInput', violations: [] }, status: 'INVALID_ARGUMENT' },
  { error: { kind: 'Malformed', what: 'x' }, status: 'INVALID_ARGUMENT' },
  { error: { kind: 'Unauthenticated', reason: 'x' }, status: 'UNAUTHENTICATED' },
  { error: { kind: 'PermissionDenied', needs: [] }, status: 'PERMISSION_DENIED' },
  { error: { kind: 'TooManyRequests', retryAfterMs: 1 }, status: 'RESOURCE_EXHAUSTED' },
  { error: { kind: 'Unavailable', what: 'x', retryable: true }, status: 'UNAVAILABLE' },
  { error: { kind: 'Unavailable', what: 'x', retryable: false }, status: 'INTERNAL' },
  { error: { kind: 'DraftNotFound' }, status: 'NOT_FOUND' },
  { error: { kind: 'constructor' }, status: undefined },
])('[B16] $error.kind is status $status', ({ error, status }) => {
  const failure = failureOf(error, { DraftNotFound: 'NOT_FOUND' });
  expect(failure?.status).toBe(status);
  expect(failure?.reason).toBe(status === undefined ? undefined : error.kind);
});

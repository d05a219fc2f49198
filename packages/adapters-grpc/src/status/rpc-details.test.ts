import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeDetails, encodeDetails } from './rpc-details.ts';
import { statusOf } from './status-of.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 30 });

test('[B16] details come back as they were sent', () => {
  const details = fc.record(
    {
      code: fc.integer({ min: 1, max: 16 }),
      message: text,
      reason: text,
      violations: fc.array(fc.record({ path: text, code: text, message: text }), { maxLength: 10 }),
      retryAfterMs: fc.nat(10_000_000),
    },
    { requiredKeys: ['code', 'message'] },
  );
  fc.assert(
    fc.property(details, (sent) => {
      expect(decodeDetails(encodeDetails(sent))).toEqual(sent);
    }),
    { numRuns: 1000 },
  );
});

test('[B16] the bytes are those of google.rpc.Status', () => {
  const bytes = encodeDetails({ code: 3, message: 'm', reason: 'R' });
  // field 1 varint 3, field 2 "m", field 3 Any { 1: type url, 2: ErrorInfo { 1: "R", 2: "doska" } }
  expect(Buffer.from(bytes).toString('latin1')).toBe(
    '\x08\x03\x12\x01m\x1a6\n(type.googleapis.com/google.rpc.ErrorInfo\x12\n\n\x01R\x12\x05doska',
  );
});

test('[B16] foreign bytes are no details, never an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => void decodeDetails(bytes)),
    { numRuns: 1000 },
  );
  expect(decodeDetails(Uint8Array.of(255, 255))).toBeUndefined();
});

test('[B16] very many violations fit into the trailers', () => {
  const violations = Array.from({ length: 5_000 }, (_, i) => ({
    path: `lines[${i}].title`,
    code: 'Required',
    message: 'x'.repeat(2_000),
  }));
  const bytes = encodeDetails({ code: 3, message: '', violations });
  expect(bytes.length).toBeLessThan(8_000);
  expect(decodeDetails(bytes)?.violations?.length).toBeGreaterThan(5);
});

test.each([
  { error: { kind: 'InvalidInput', violations: [] }, code: status.INVALID_ARGUMENT },
  { error: { kind: 'Malformed', what: 'x' }, code: status.INVALID_ARGUMENT },
  { error: { kind: 'Unauthenticated', reason: 'x' }, code: status.UNAUTHENTICATED },
  { error: { kind: 'PermissionDenied', needs: [] }, code: status.PERMISSION_DENIED },
  { error: { kind: 'TooManyRequests', retryAfterMs: 1 }, code: status.RESOURCE_EXHAUSTED },
  { error: { kind: 'Unavailable', what: 'x', retryable: true }, code: status.UNAVAILABLE },
  { error: { kind: 'Unavailable', what: 'x', retryable: false }, code: status.INTERNAL },
  { error: { kind: 'DraftNotFound' }, code: status.NOT_FOUND },
  { error: { kind: 'constructor' }, code: undefined },
])('[B16] $error.kind is status $code', ({ error, code }) => {
  expect(statusOf(error, { DraftNotFound: 'NOT_FOUND' })?.code).toBe(code);
});

import { failureOf } from '@doska/adapters-rpc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipped, decodeDetails, encodeDetails } from './rpc-details.ts';
import { rpcStatus } from './status-of.ts';

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

test('[B16] [X9] very many violations fit into the trailers: the first ones, and how many more there are', () => {
  const violations = Array.from({ length: 5_000 }, (_, i) => ({
    path: `lines[${i}].title`,
    code: 'Required',
    message: 'я'.repeat(2_000),
  }));
  const { details, metadata } = rpcStatus(failureOf({ kind: 'InvalidInput', violations } as never, {})!);
  const [bytes] = metadata.get('grpc-status-details-bin') as [Buffer];
  expect(bytes.toString('base64').length + encodeURI(details).length).toBeLessThan(8_000);
  const told = decodeDetails(bytes)!.violations!;
  expect(told.length).toBeGreaterThan(5);
  expect(told.at(-1)).toEqual({ path: '', code: 'More', message: `${5_001 - told.length} more violations` });
});

test('[X9] violations that all fit are all told, without a word of more', () => {
  const violations = [{ path: 'title', code: 'TooLong', message: 'at most 120 characters' }];
  expect(decodeDetails(encodeDetails({ code: 3, message: '', violations }))!.violations).toEqual(violations);
});

test('[X9] [X5] a long message is cut between symbols, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'я', '€', '😀'), maxLength: 700 }), (said) => {
      const cut = clipped(said, 500);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(500);
      expect(() => encodeURI(cut)).not.toThrow();
      expect(said.startsWith(cut.replace(/…$/, ''))).toBe(true);
      if (Buffer.byteLength(said) <= 500) expect(cut).toBe(said);
    }),
  );
});

test('[X5] [B16] half of a surrogate pair in a message is replaced: gRPC could not write it', () => {
  const { details } = rpcStatus({ status: 'NOT_FOUND', message: 'no \ud83d here', reason: 'R' } as never);
  expect(details).toBe('no \ufffd here');
  expect(encodeURI(details)).toBe('no%20%EF%BF%BD%20here');
  const long = rpcStatus({ status: 'NOT_FOUND', message: `${'x'.repeat(600)}\udc00`, reason: 'R' } as never);
  expect(long.details.isWellFormed()).toBe(true);
});

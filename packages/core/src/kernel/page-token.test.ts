import fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { makePageTokens, type InvalidPageToken, type PageKey } from './page-token.ts';
import type { Signer } from './ports/signer.port.ts';
import { xxh64 } from './xxh64.ts';

/** No cryptography: enough that another text or another key gives another signature. */
const fakeSigner = (current: string, previous?: string): Signer => {
  const signature = (key: string, text: string): string => `${xxh64(key + text).toString(36)}+/`;
  return {
    sign: (text) => signature(current, text),
    verify: (text, given) =>
      [current, previous].some((key) => key !== undefined && signature(key, text) === given),
  };
};
const tokens = makePageTokens(fakeSigner('key 1'));
const invalid = (reason: InvalidPageToken['reason']) => err({ kind: 'InvalidPageToken', reason });

const anyKey: fc.Arbitrary<PageKey> = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    // JSON knows no -0; a sort key doesn't either.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  ),
  { maxLength: 4 },
);

test('[B4] returns the position from a url-safe token', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), anyKey, (query, key) => {
      const token = tokens.encode(query, key);
      expect(token).toMatch(/^1\.[\w-]+\.[\w-]+$/);
      expect(tokens.decode(query, token)).toEqual(ok(key));
    }),
    { numRuns: 1_000 },
  );
});

test('[B4] a token of another query is refused', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), anyKey, (query, other, key) => {
      fc.pre(query !== other);
      expect(tokens.decode(other, tokens.encode(query, key))).toEqual(invalid('otherQuery'));
    }),
  );
});

test('[B4] a token with a changed, dropped, doubled or added character is refused', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+ /é';
  for (const key of [[], ['2026-01-31', 17], ['я', null, true, 1.5]] satisfies PageKey[]) {
    const token = tokens.encode('offers by price', key);
    const refused = (forged: string): void => {
      if (forged !== token) expect(tokens.decode('offers by price', forged).isErr(), forged).toBe(true);
    };
    for (let at = 0; at <= token.length; at++) {
      const before = token.slice(0, at);
      const after = token.slice(at + 1);
      refused(before + after);
      refused(before);
      for (const char of alphabet) {
        refused(before + char + after);
        refused(before + char + token.slice(at));
      }
    }
  }
});

test('[B4] a token made of parts of two tokens is refused', () => {
  const [version, payload] = tokens.encode('q', [1]).split('.');
  const seal = tokens.encode('q', [2]).split('.')[2];
  expect(tokens.decode('q', [version, payload, seal].join('.'))).toEqual(invalid('forged'));
});

test('[B4] a token of the previous key is accepted, one of an older or foreign key is refused', () => {
  const old = makePageTokens(fakeSigner('key 1')).encode('q', [1]);
  expect(makePageTokens(fakeSigner('key 2', 'key 1')).decode('q', old)).toEqual(ok([1]));
  expect(makePageTokens(fakeSigner('key 3', 'key 2')).decode('q', old)).toEqual(invalid('forged'));
});

test('[B4] any other text is malformed and never throws', () => {
  const other = toBase64Url(new TextEncoder().encode('["q"]'));
  const sealed = toBase64Url(new TextEncoder().encode(fakeSigner('key 1').sign(`1.${other}`)));
  for (const text of [
    '',
    '.',
    '..',
    '1..',
    'null',
    '2.e30.e30',
    '1.e30',
    '1.e30.e30.e30',
    `1.${other}.${sealed}`,
  ]) {
    expect(tokens.decode('q', text), text).toEqual(invalid('malformed'));
  }
  expect(tokens.decode('q', `1.${'A'.repeat(5_000)}.e30`)).toEqual(invalid('malformed'));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => tokens.decode('q', text).isErr()));
});

test('[B4] a token of the first version is readable in every release', () => {
  const token = '1.WyJvZmZlcnM6NWYyYyIsWyIyMDI2LTAxLTMxVDEwOjAwOjAwWiIsMTddXQ.Mnd3cTM2OXBtZXI4dSsv';
  expect(tokens.decode('offers:5f2c', token)).toEqual(ok(['2026-01-31T10:00:00Z', 17]));
});

test('[B4] base64url: every byte array has exactly one spelling', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(
      fc.base64String().map((text) => text.replace(/=*$/, '')),
      (text) => {
        const bytes = fromBase64Url(text);
        if (bytes) expect(toBase64Url(bytes)).toBe(text);
      },
    ),
    { numRuns: 1_000 },
  );
  expect(['QQ', 'QR', 'A', 'Q=', 'Q Q'].map((text) => fromBase64Url(text) !== undefined)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

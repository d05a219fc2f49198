import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSigner } from './hmac-signer.ts';

const first = 'a'.repeat(32);
const second = 'b'.repeat(32);
const third = 'c'.repeat(32);

test('[B17] what was signed verifies, and nothing else does', () => {
  const signer = hmacSigner(first);
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, other) => {
      const signature = signer.sign(text);
      expect(signer.verify(text, signature)).toBe(true);
      expect(signer.verify(other, signature)).toBe(other === text);
      expect(signer.verify(text, other)).toBe(other === signature);
    }),
    { numRuns: 1000 },
  );
});

test('[B17] a rotated key verifies until it is removed', () => {
  const signature = hmacSigner(first).sign('x');
  expect(hmacSigner(second, first).verify('x', signature)).toBe(true);
  expect(hmacSigner(third, second).verify('x', signature)).toBe(false);
  expect(hmacSigner(second, first).sign('x')).toBe(hmacSigner(second).sign('x'));
});

test.each(['', 'short', '=', 'A'.repeat(44), 'A'.repeat(10_000)])(
  '[B17] «%s» is no signature',
  (signature) => {
    expect(hmacSigner(first).verify('x', signature)).toBe(false);
  },
);

test('[B17] another spelling of the same signature is refused', () => {
  const signature = hmacSigner(first).sign('x');
  expect(hmacSigner(first).verify('x', `${signature}=`)).toBe(false);
  const last = signature.at(-1)!;
  const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter(
    (c) => c !== last,
  );
  for (const twin of twins) expect(hmacSigner(first).verify('x', signature.slice(0, -1) + twin)).toBe(false);
});

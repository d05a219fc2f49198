import { describe, expect, test } from 'vitest';
import { publication } from '../testing/gost-stores.ts';
import { ANSWER_BYTES_MAX, countFitting, offerBytes } from './answer-size.ts';

describe('answers', () => {
  const size = (bytes: number): number => bytes;
  test('[X9] as many items fit as their bytes allow, and always one', () => {
    expect(countFitting([], size, 10)).toBe(0);
    expect(countFitting([5, 5], size, 10)).toBe(2);
    expect(countFitting([5, 6], size, 10)).toBe(1);
    expect(countFitting([5, 5, 1], size, 10)).toBe(2);
    expect(countFitting([11, 1], size, 10)).toBe(1);
  });
  test('[X9] the bytes of an offer count its texts, its reasons and its pictures', () => {
    const { offer } = publication(1, { nowUs: 1 });
    const plain = offerBytes(offer);
    const banned = { ...offer, ban: { editable: true, reasons: ['x'.repeat(500)] } };
    expect(offerBytes(banned)).toBe(plain + 508);
    const pictured = {
      ...offer,
      images: [{ url: 'u', outcome: { kind: 'failed', reason: 'gone' } } as const],
    };
    expect(offerBytes(pictured)).toBe(plain + 28);
    expect(ANSWER_BYTES_MAX).toBeLessThan(4 << 20);
  });
});

import fc from 'fast-check';
import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { formatOfferId, offerIdFrom, parseOfferId, type OfferId } from './offer-id.ts';

const anyId = fc.array(fc.integer({ min: 0, max: 31 }), { minLength: 12, maxLength: 12 }).map(offerIdFrom);
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const runs = { numRuns: 1_000 };

describe('offer ids', () => {
  test('[G3] an id is read back from the form that is shown', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        expect(formatOfferId(id)).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]$/);
        expect(parseOfferId(formatOfferId(id))).toEqual(ok(id));
      }),
      runs,
    );
  });
  test('[G3] every single wrong symbol is found', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        for (let at = 0; at < id.length; at++)
          for (const wrong of SYMBOLS)
            if (wrong !== id[at])
              expect(parseOfferId(id.slice(0, at) + wrong + id.slice(at + 1)).isErr()).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
  test('[G3] every swap of two different symbols is found, the check symbol included', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        for (let a = 0; a < id.length; a++)
          for (let b = a + 1; b < id.length; b++) {
            const swapped = [...id];
            [swapped[a], swapped[b]] = [swapped[b]!, swapped[a]!];
            expect(parseOfferId(swapped.join('')).isErr()).toBe(id[a] !== id[b]);
          }
      }),
      { numRuns: 200 },
    );
  });
  test('[G3] case, blanks, dashes and look-alikes are forgiven', () => {
    const id = offerIdFrom([0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    const sloppy = ` ${formatOfferId(id).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' – ')} `;
    expect(parseOfferId(sloppy)).toEqual(ok(id));
  });
  test.each([
    ['', 'length'],
    ['7K2M', 'length'],
    ['7K2M-9QXT-4HB3-RR', 'length'],
    ['UUUU-UUUU-UUUU-U', 'symbol'],
    ['0000-0000-0000-1', 'check'],
  ] as const)('[G3] %j is refused for its %s', (text, reason) => {
    expect(parseOfferId(text)._unsafeUnwrapErr()).toEqual({ kind: 'InvalidOfferId', text, reason });
  });
  test('[G3] a UUID that a caller brings is an id as it is', () => {
    const uuid = '0b9c2c6e-5f7b-4f0e-9a59-0d7f8f6f3c11';
    expect(parseOfferId(uuid.toUpperCase())).toEqual(ok(uuid));
    expect(formatOfferId(uuid as OfferId)).toBe(uuid);
  });
  test('[G3] golden: the check symbol never changes', () => {
    expect(offerIdFrom([7, 19, 2, 20, 9, 23, 29, 26, 4, 17, 11, 3])).toBe(
      '7K2M9QXT4HB3' + offerIdFrom([7, 19, 2, 20, 9, 23, 29, 26, 4, 17, 11, 3]).at(-1),
    );
  });
});

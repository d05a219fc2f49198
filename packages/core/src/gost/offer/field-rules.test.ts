import { describe, expect, test } from 'vitest';
import {
  categoryIdViolations,
  commandIdViolations,
  draftIdViolations,
  externalIdViolations,
  FIELD_BOUNDS,
  namespaceViolations,
  offerIdViolations,
  opinionVersionViolations,
  photoUrlViolations,
  priceViolations,
  reasonsViolations,
  sellerIdViolations,
  stageNameViolations,
} from './field-rules.ts';

const codes = (violations: readonly { readonly code: string }[]): string[] =>
  violations.map(({ code }) => code);

describe('ids', () => {
  test.each([
    ['seller_id', sellerIdViolations, FIELD_BOUNDS.sellerIdChars],
    ['namespace', namespaceViolations, FIELD_BOUNDS.namespaceChars],
    ['external_id', externalIdViolations, FIELD_BOUNDS.externalIdChars],
    ['draft_id', draftIdViolations, FIELD_BOUNDS.draftIdChars],
    ['category_id', categoryIdViolations, FIELD_BOUNDS.categoryIdChars],
  ])('[X5] %s is a visible text of bounded length without control characters', (path, check, charsMax) => {
    expect(check('x'.repeat(charsMax))).toEqual([]);
    expect(check('x'.repeat(charsMax + 1))).toMatchObject([{ path, code: 'TooLong' }]);
    expect(codes(check(''))).toEqual(['Missing']);
    expect(codes(check('\u200b'))).toEqual(['Blank']);
    expect(codes(check('a\0b'))).toEqual(['ControlCharacter']);
    expect(codes(check('\ud800a'))).toEqual(['InvalidText']);
    expect(check('a\n', 'other')).toMatchObject([{ path: 'other' }]);
  });
  test('[X5] a command id may be missing', () => {
    expect(commandIdViolations('')).toEqual([]);
    expect(commandIdViolations('x'.repeat(FIELD_BOUNDS.commandIdChars))).toEqual([]);
    expect(codes(commandIdViolations('x'.repeat(FIELD_BOUNDS.commandIdChars + 1)))).toEqual(['TooLong']);
    expect(codes(commandIdViolations('a\0'))).toEqual(['ControlCharacter']);
  });
  test('[X5] an offer id and the name of a stage have a shape', () => {
    expect(codes(offerIdViolations('nonsense'))).toEqual(['Malformed']);
    expect(stageNameViolations(`a${'b'.repeat(FIELD_BOUNDS.stageNameChars - 1)}`)).toEqual([]);
    expect(codes(stageNameViolations(`a${'b'.repeat(FIELD_BOUNDS.stageNameChars)}`))).toEqual(['Malformed']);
    expect(codes(stageNameViolations('price\n'))).toEqual(['Malformed']);
  });
});

describe('numbers', () => {
  test('[X4] an opinion version is from 1 to 2^53 − 1', () => {
    expect(codes(opinionVersionViolations(0n))).toEqual(['OutOfRange']);
    expect(opinionVersionViolations(1n)).toEqual([]);
    expect(opinionVersionViolations(2n ** 53n - 1n)).toEqual([]);
    expect(codes(opinionVersionViolations(2n ** 53n))).toEqual(['OutOfRange']);
  });
  test('[X5] a price is a whole number up to its limit', () => {
    expect(priceViolations(100, 100)).toEqual([]);
    expect(codes(priceViolations(101, 100))).toEqual(['OutOfRange']);
    expect(codes(priceViolations(-1, 100))).toEqual(['OutOfRange']);
    expect(codes(priceViolations(2n ** 63n - 1n, 100))).toEqual(['OutOfRange']);
  });
});

describe('lists', () => {
  test('[X5] the address of a picture is a bounded http address', () => {
    expect(photoUrlViolations('https://a.example/1.jpg', 23, 'photos[0]')).toEqual([]);
    expect(photoUrlViolations('https://a.example/1.jpg', 22, 'photos[0]')).toMatchObject([
      { path: 'photos[0]', code: 'Malformed' },
    ]);
    expect(photoUrlViolations('https://a.example/\0', 100, 'p')).toHaveLength(1);
    expect(photoUrlViolations('ftp://a.example/', 100, 'p')).toHaveLength(1);
  });
  test('[X5] reasons of a ban are bounded in number and length', () => {
    const one = 'x'.repeat(FIELD_BOUNDS.reasonChars);
    expect(reasonsViolations(Array.from({ length: FIELD_BOUNDS.reasons }, () => one))).toEqual([]);
    expect(reasonsViolations([one, `${one}x`])).toMatchObject([{ path: 'reasons[1]', code: 'TooLong' }]);
    const many = Array.from({ length: FIELD_BOUNDS.reasons + 1 }, () => 'spam');
    expect(reasonsViolations(many)).toMatchObject([{ path: 'reasons', code: 'TooMany' }]);
    expect(reasonsViolations([''])).toMatchObject([{ path: 'reasons[0]', code: 'Missing' }]);
    expect(reasonsViolations(['line\nline'])).toEqual([]);
  });
});

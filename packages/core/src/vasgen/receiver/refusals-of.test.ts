import { expect, test } from 'vitest';
import { PK_BYTES_MAX } from '../engine/index-change.ts';
import type { Verdict } from '../registry/judge.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { sampleDocument } from '../testing/document-samples.ts';
import { refusalsOf } from './refusals-of.ts';

const invalid = (...violations: readonly [path: string, message: string][]): Verdict => ({
  kind: 'invalid',
  epoch: 1,
  violations: violations.map(([path, message]) => ({ path, code: 'Wrong', message })),
});
const tooOld = { kind: 'too_old' } as Verdict;
const refusal = (verdict: Verdict, document: Partial<RawDocument> = {}) =>
  refusalsOf([sampleDocument(document)], [verdict], 7)[0];

test.each<[string, Verdict, string]>([
  ['invalid', invalid(['pk', 'is missing'], ['', 'too large']), 'pk: is missing; too large'],
  ['unknown_epoch', { kind: 'unknown_epoch', living: [1, 4] }, 'living epochs: 1, 4'],
  ['too_old', tooOld, 'composed before the horizon'],
])('[V12] a document that is %s is remembered with the reason', (kind, verdict, reason) => {
  expect(refusal(verdict, { epoch: 3, version: 5, composedAtMs: 9 })).toEqual({
    pk: 'a',
    epoch: 3,
    version: 5,
    timestampMs: 9,
    verdict: kind,
    reason,
    atMs: 7,
  });
});
test.each(['accepted', 'expired', 'duplicate', 'stale', 'unavailable'])('[V12] %s is no refusal', (kind) => {
  expect(refusal({ kind } as Verdict)).toBeUndefined();
});
test.each<[string, Partial<RawDocument>, boolean]>([
  ['the longest pk', { pk: 'x'.repeat(PK_BYTES_MAX) }, true],
  ['a longer pk', { pk: 'x'.repeat(PK_BYTES_MAX + 1) }, false],
  ['no pk', { pk: '' }, false],
  ['U+0000 in the pk', { pk: 'a\0' }, false],
  ['half of a surrogate pair in the pk', { pk: '\ud800' }, false],
  ['zeros', { epoch: 0, version: 0, composedAtMs: 0 }, true],
  ['a negative epoch', { epoch: -1 }, false],
  ['a negative version', { version: -1 }, false],
  ['a negative time', { composedAtMs: -1 }, false],
  ['half a version', { version: 0.5 }, false],
  ['a version beyond the safe ones', { version: 2 ** 53 }, false],
])('[V12] what a store can not keep is not remembered: %s', (_, document, isKept) => {
  expect(refusal(tooOld, document) !== undefined).toBe(isKept);
});
test('[V12] a reason is cut and has no U+0000, and of very many refusals the first are kept', () => {
  expect(refusal(invalid(['x', 'a\0b']))?.reason).toBe('x: a b');
  expect(refusal(invalid(['', 'y'.repeat(1_000)]))?.reason).toHaveLength(1_000);
  expect(refusal(invalid(['', 'y'.repeat(1_001)]))?.reason).toHaveLength(1_000);
  const documents = Array.from({ length: 1_002 }, (_, n) => sampleDocument({ pk: `pk${n}` }));
  const kept = refusalsOf(
    documents,
    documents.map(() => tooOld),
    7,
  );
  expect([kept.length, kept.at(-1)?.pk]).toEqual([1_000, 'pk999']);
});

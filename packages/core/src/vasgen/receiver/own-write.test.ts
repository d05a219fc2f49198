import { expect, test } from 'vitest';
import { sampleRow } from '../testing/document-samples.ts';
import { isOwnWrite } from './own-write.ts';

const row = sampleRow();
test.each<[string, ReturnType<typeof sampleRow>, boolean]>([
  ['the same row', sampleRow(), true],
  ['another content', sampleRow({ contentHash: 'f'.repeat(16) }), false],
  ['another time of writing', sampleRow({ writtenAtMs: row.writtenAtMs + 1 }), false],
  ['another version', sampleRow({ place: { version: 2 } }), false],
  ['another timestamp', sampleRow({ place: { timestampMs: 1_001 } }), false],
  ['an expiry', sampleRow({ place: { kind: 'expiry' } }), false],
])('[V3] after a lost answer %s is told from this write', (_, stored, own) => {
  expect(isOwnWrite(row, stored)).toBe(own);
});

import { expect, test } from 'vitest';
import type { ClientName } from '../document/raw-document.ts';
import { sampleEpochs } from '../testing/document-samples.ts';
import { epochOfIndex, indexOf, indexSteps } from './client-indexes.ts';

const client = 'offers' as ClientName;

test('[V11] the index of an epoch is found again by its name, and is of one client', () => {
  expect(epochOfIndex(client, indexOf(client, 12))).toBe(12);
  expect(epochOfIndex(client, indexOf('offers-2' as ClientName, 1))).toBeUndefined();
});

test.each([
  ['a first start', [], [[1, 'serving']], { make: [1], drop: [], serve: 1 }],
  ['nothing new', [1], [[1, 'serving']], { make: [], drop: [], serve: 1 }],
  [
    'an epoch is built',
    [1],
    [
      [1, 'serving'],
      [2, 'building'],
    ],
    { make: [2], drop: [], serve: 1 },
  ],
  [
    'it serves',
    [1, 2],
    [
      [1, 'retained'],
      [2, 'serving'],
    ],
    { make: [], drop: [], serve: 2 },
  ],
  ['the old one is finished', [1, 2], [[2, 'serving']], { make: [], drop: [1], serve: 2 }],
  ['nothing serves: nothing is dropped', [1], [[2, 'building']], { make: [2], drop: [], serve: undefined }],
] as const)('[V11] %s', (_, present, states, steps) => {
  expect(indexSteps(present, sampleEpochs(undefined, states))).toEqual(steps);
});

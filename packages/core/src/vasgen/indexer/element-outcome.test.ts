import { expect, test } from 'vitest';
import type { QueueElement, QueueName } from '../queues/queue-element.ts';
import { sampleRow } from '../testing/document-samples.ts';
import { elementOutcome } from './element-outcome.ts';

const element: QueueElement = {
  idx: 7,
  pk: 'a',
  epoch: 1,
  version: 1,
  timestampMs: 1_000,
  failure: undefined,
};
const at = (place: Parameters<typeof sampleRow>[0]) => sampleRow(place);

test.each<[string, QueueName, ReturnType<typeof sampleRow> | undefined, boolean, string]>([
  ['the same place', 'main', at({}), true, 'publish'],
  [
    'a tombstone of the same place is a delete to publish',
    'main',
    at({ status: 'tombstone' }),
    true,
    'publish',
  ],
  [
    'an expiry of the same document',
    'main',
    at({ place: { kind: 'expiry' }, status: 'tombstone' }),
    true,
    'publish',
  ],
  ['another version', 'main', at({ place: { version: 2 } }), true, 'superseded'],
  ['another time', 'main', at({ place: { timestampMs: 1_001 } }), true, 'superseded'],
  ['another epoch', 'main', at({ place: { epoch: 2 } }), true, 'superseded'],
  ['the newer row waits in bulk', 'main', at({ place: { version: 2 }, lane: 'bulk' }), true, 'publish'],
  ['seen by bulk itself', 'bulk', at({ place: { version: 2 }, lane: 'bulk' }), true, 'superseded'],
  ['an old bulk element behind a live row', 'bulk', at({ place: { version: 2 } }), true, 'superseded'],
  ['no row', 'main', undefined, true, 'gone'],
  ['a finished epoch', 'main', at({}), false, 'finished'],
  ['a finished epoch without rows', 'main', undefined, false, 'finished'],
])('[V7] %s (queue %s): %s', (_, queue, row, isLiving, kind) => {
  expect(elementOutcome(queue, element, row, isLiving).kind).toBe(kind);
});

test('[V7] a missing row is deleted at the place of the element, above its document', () => {
  expect(elementOutcome('main', element, undefined, true)).toEqual({
    kind: 'gone',
    place: { epoch: 1, version: 1, timestampMs: 1_000, kind: 'expiry' },
  });
});
test('[V7] publishing a newer row early is told apart', () => {
  const early = elementOutcome('main', element, at({ place: { version: 2 }, lane: 'bulk' }), true);
  expect(early).toMatchObject({ kind: 'publish', early: true });
  expect(elementOutcome('main', element, at({}), true)).toMatchObject({ early: false });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deletionOf } from '../document/offer-document.ts';
import {
  converted,
  failed,
  newPartition,
  nextAction,
  tooLarge,
  wrote,
  type BatchLimits,
  type PartitionState,
  type Ready,
} from './partition-machine.ts';

const limits: BatchLimits = { documentsMax: 3, bytesMax: 100, everyMs: 50 };
const document = (n: number) => deletionOf(`offer-${n}`, n, { epoch: 1, composedAtMs: n });
const ready = (documents = 1, bytes = 10): Ready => ({
  documents: Array.from({ length: documents }, (_, n) => document(n)),
  bytes,
});
const stateOf = (...records: readonly ('waiting' | 'failed' | Ready)[]): PartitionState =>
  records.reduce(
    (state, record, at) => {
      if (record === 'waiting') return state;
      return record === 'failed' ? failed(state, at, 'why') : converted(state, at, record);
    },
    newPartition(records.length, 1_000),
  );

describe('the next action', () => {
  test.each<[string, PartitionState, number, object]>([
    ['nothing to do', stateOf(), 0, { kind: 'done' }],
    ['the first record is converted', stateOf('waiting', 'waiting'), 0, { kind: 'convert', at: 0 }],
    ['the next one is converted', stateOf(ready(), 'waiting'), 2_000, { kind: 'convert', at: 1 }],
    [
      '[S3] a small batch waits from the previous write',
      stateOf(ready()),
      1_049,
      { kind: 'wait', untilMs: 1_050 },
    ],
    ['[S3] and goes out when the time has passed', stateOf(ready()), 1_050, { kind: 'write', upTo: 1 }],
    [
      '[S3] after a quiet time a document leaves at once',
      stateOf(ready()),
      9_000,
      { kind: 'write', upTo: 1 },
    ],
    ['[S3] two of three wait', stateOf(ready(), ready()), 1_000, { kind: 'wait' }],
    [
      '[S3] enough documents go at once',
      stateOf(ready(), ready(), ready()),
      1_000,
      { kind: 'write', upTo: 3 },
    ],
    ['[S3] enough bytes go at once', stateOf(ready(1, 60), ready(1, 40)), 1_000, { kind: 'write', upTo: 2 }],
    ['[S3] fewer bytes wait', stateOf(ready(1, 60), ready(1, 39)), 1_000, { kind: 'wait' }],
    [
      '[S3] a batch never exceeds the bytes',
      stateOf(ready(1, 60), ready(1, 41)),
      1_000,
      { kind: 'write', upTo: 1 },
    ],
    [
      '[S3] a batch never exceeds the documents',
      stateOf(ready(2), ready(2)),
      1_000,
      { kind: 'write', upTo: 1 },
    ],
    [
      '[S3] one record above the limits goes alone',
      stateOf(ready(9, 900)),
      1_000,
      { kind: 'write', upTo: 1 },
    ],
    [
      '[S4] a failed record blocks',
      stateOf('failed', ready()),
      9_000,
      { kind: 'block', handled: 0, reason: 'why' },
    ],
    [
      '[S4] what was ready before it goes out first',
      stateOf(ready(), 'failed'),
      9_000,
      { kind: 'write', upTo: 1 },
    ],
    ['[S4] after its time', stateOf(ready(), 'failed'), 1_001, { kind: 'wait', untilMs: 1_050 }],
    [
      '[S4] then it blocks behind what is written',
      wrote(stateOf(ready(), 'failed'), 1, 1_050),
      1_050,
      { kind: 'block', handled: 1 },
    ],
    [
      '[S3] a batch that did not fit is halved',
      tooLarge(stateOf(ready(), ready(), ready()), 3),
      1_000,
      { kind: 'write', upTo: 1 },
    ],
    [
      '[S3] after the smaller one went out the next may be larger again',
      wrote(tooLarge(stateOf(ready(), ready(), ready(), ready()), 2), 1, 1_000),
      1_000,
      { kind: 'write', upTo: 4 },
    ],
    [
      '[S3] a record that alone did not fit is parked',
      tooLarge(stateOf(ready(), ready()), 1),
      1_000,
      { kind: 'park', at: 0 },
    ],
    [
      '[S3] what was parked holds nothing up',
      converted(tooLarge(stateOf(ready(), ready(3)), 1), 0, { documents: [], bytes: 0 }),
      1_000,
      { kind: 'write', upTo: 2 },
    ],
    ['all is written', wrote(stateOf(ready()), 1, 1_050), 1_050, { kind: 'done' }],
  ])('%s', (_, state, nowMs, action) => {
    expect(nextAction(state, nowMs, limits)).toMatchObject(action);
  });
  test('a batch holds the documents of its records in order', () => {
    const state = stateOf(
      { documents: [document(1)], bytes: 1 },
      { documents: [document(2), document(3)], bytes: 1 },
    );
    expect(nextAction(state, 0, limits)).toMatchObject({
      documents: [{ pk: 'offer-1' }, { pk: 'offer-2' }, { pk: 'offer-3' }],
    });
  });
});

test('[S1] [S2] whatever fails, documents leave once and in order, and the position never passes an unwritten one', () => {
  const record = fc.record({
    documents: fc.nat({ max: 4 }),
    bytes: fc.nat({ max: 120 }),
    fails: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), (records) => {
      const firstFailure = records.findIndex(({ fails }) => fails);
      const good = firstFailure < 0 ? records : records.slice(0, firstFailure);
      const expected = good.flatMap(({ documents }, at) =>
        Array.from({ length: documents }, (_, n) => `${at}/${n}`),
      );
      const written: string[] = [];
      let state = newPartition(records.length, 0);
      let nowMs = 0;
      for (let steps = 0; ; steps++) {
        expect(steps).toBeLessThan(200);
        const action = nextAction(state, nowMs, limits);
        if (action.kind === 'wait') nowMs = action.untilMs;
        else if (action.kind === 'convert') {
          const { documents, bytes, fails } = records[action.at]!;
          const made = Array.from({ length: documents }, (_, n) =>
            deletionOf(`${action.at}/${n}`, 1, { epoch: 1, composedAtMs: 1 }),
          );
          state = fails
            ? failed(state, action.at, 'x')
            : converted(state, action.at, { documents: made, bytes });
        } else if (action.kind === 'write') {
          written.push(...action.documents.map(({ pk }) => pk));
          state = wrote(state, action.upTo, nowMs);
        } else {
          const handled = action.kind === 'block' ? action.handled : records.length;
          expect(handled).toBe(good.length);
          break;
        }
      }
      expect(written).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

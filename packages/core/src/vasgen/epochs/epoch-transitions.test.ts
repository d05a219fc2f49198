import { describe, expect, test } from 'vitest';
import { sampleEpochs } from '../testing/document-samples.ts';
import type { EpochState } from './epoch.ts';
import { changeEpochs, type EpochCommand } from './epoch-transitions.ts';

type States = readonly (readonly [number, EpochState])[];
const S: States = [[1, 'serving']];
const SB: States = [[1, 'serving'], [2, 'building']]; // prettier-ignore
const RS: States = [[1, 'retained'], [2, 'serving']]; // prettier-ignore
const RSB: States = [[1, 'retained'], [2, 'serving'], [3, 'building']]; // prettier-ignore

const TABLE: Record<EpochCommand, readonly (readonly [States, States | string])[]> = {
  create: [
    [S, SB],
    [SB, 'an epoch is being built already'],
    [RS, RSB],
    [RSB, 'an epoch is being built already'],
  ],
  promote: [
    [S, 'no epoch is building'],
    [SB, RS],
    [RS, 'no epoch is building'],
    [RSB, 'an epoch is retained still: finish it first'],
  ],
  rollback: [
    [S, 'no epoch is retained'],
    [SB, 'no epoch is retained'],
    [RS, [[1, 'serving'], [2, 'retained']]], // prettier-ignore
    [RSB, [[1, 'serving'], [2, 'retained'], [3, 'building']]], // prettier-ignore
  ],
  finish: [
    [S, 'no epoch is retained'],
    [SB, 'no epoch is retained'],
    [RS, [[2, 'serving']]],
    [RSB, [[2, 'serving'], [3, 'building']]], // prettier-ignore
  ],
  cancel: [
    [S, 'no epoch is building'],
    [SB, S],
    [RS, 'no epoch is building'],
    [RSB, RS],
  ],
};
const objects = (states: States) => states.map(([epoch, state]) => ({ epoch, state }));

describe.each(Object.entries(TABLE))('%s', (command, rows) => {
  test.each(rows)('[V11] of %o: %o', (from, expected) => {
    const outcome = changeEpochs(sampleEpochs(undefined, from), command as EpochCommand);
    if (typeof expected === 'string')
      expect(outcome._unsafeUnwrapErr()).toEqual({ kind: 'EpochRefused', command, message: expected });
    else expect(outcome._unsafeUnwrap()).toEqual(objects(expected));
  });
});
test('[V11] a new epoch has a number above every living one, also after a rollback', () => {
  const rolledBack = sampleEpochs(undefined, [[4, 'serving'], [5, 'retained']]); // prettier-ignore
  expect(changeEpochs(rolledBack, 'create')._unsafeUnwrap().at(-1)).toEqual({ epoch: 6, state: 'building' });
});
test('[V11] the number of an epoch that was given up never comes again: its rows may still be there', () => {
  const known = { ...sampleEpochs(undefined, S), version: 7 };
  expect(changeEpochs(known, 'create')._unsafeUnwrap().at(-1)).toEqual({ epoch: 8, state: 'building' });
});

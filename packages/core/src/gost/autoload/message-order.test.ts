import { describe, expect, test } from 'vitest';
import { feedBatch, feedTerminal } from '../testing/feed-samples.ts';
import { isMassDeletion, noProgress, placeBatch, placeTerminal } from './message-order.ts';

const at = { ...noProgress, task: 5, generation: 2, nextBatch: 3, offersSeen: 30, answeredAtUs: 7 };
const sent = { task: 5, generation: 2 };

describe('the place of a batch', () => {
  const kind = (change: object): string =>
    placeBatch(at, { ...feedBatch(5, 3, []), ...sent, ...change }).kind;
  test.each([
    [{ batch: 2 }, 'duplicate'],
    [{ batch: 3 }, 'apply'],
    [{ batch: 4 }, 'gap'],
    [{ task: 4 }, 'skipped'],
    [{ generation: 1 }, 'skipped'],
    [{ task: 6, generation: 1, batch: 0 }, 'skipped'],
    [{ task: 6, batch: 0 }, 'apply'],
    [{ task: 6, batch: 1 }, 'gap'],
    [{ generation: 3, batch: 0 }, 'apply'],
    [{ generation: 3, batch: 3 }, 'gap'],
  ])('[X14] [G8] a batch %j is: %s', (change, expected) => {
    expect(kind(change)).toBe(expected);
  });
  test('[X14] [G8] a newer load starts at the beginning and keeps the time of the last answer', () => {
    expect(placeBatch(at, { ...feedBatch(6, 0, []), generation: 2 })).toEqual({
      kind: 'apply',
      progress: { ...noProgress, task: 6, generation: 2, answeredAtUs: 7 },
    });
  });
  test('[X14] [G8] behind its terminal message a batch is skipped, a duplicate stays a duplicate', () => {
    const ended = { ...at, terminal: { state: 'done', removed: 0, manual: 0 } } as const;
    expect(placeBatch(ended, { ...feedBatch(5, 3, []), ...sent }).kind).toBe('skipped');
    expect(placeBatch(ended, { ...feedBatch(5, 2, []), ...sent }).kind).toBe('duplicate');
  });
});

describe('the place of a terminal message', () => {
  const terminal = (change: object) => ({ ...feedTerminal(5, 3, 30), ...sent, ...change });
  test.each([
    [{}, 'carry-out'],
    [{ offers: 29 }, 'incomplete'],
    [{ offers: 31 }, 'incomplete'],
    [{ batches: 2 }, 'incomplete'],
    [{ batches: 4 }, 'incomplete'],
    [{ offers: 29, force: true }, 'incomplete'],
    [{ task: 4 }, 'skipped'],
    [{ generation: 1 }, 'skipped'],
    [{ task: 6 }, 'incomplete'],
    [{ task: 6, batches: 0, offers: 0 }, 'carry-out'],
  ])('[X14] [G8] a terminal message %j is: %s', (change, expected) => {
    expect(placeTerminal(at, terminal(change)).kind).toBe(expected);
  });
  test.each([
    ['done', false, 'over'],
    ['done', true, 'over'],
    ['held', false, 'over'],
    ['held', true, 'carry-out'],
    ['running', false, 'carry-out'],
  ] as const)(
    '[X14] [G8] while the terminal is %s, another one with force %s is: %s',
    (state, force, expected) => {
      const known = { ...at, terminal: { state, removed: 0, manual: 0 } };
      expect(placeTerminal(known, terminal({ force })).kind).toBe(expected);
    },
  );
});

describe('the guard against mass deletion', () => {
  const guard = { shareMax: 0.5, offersMin: 20 };
  test.each([
    [{ known: 19, unseen: 19 }, false],
    [{ known: 20, unseen: 20 }, true],
    [{ known: 40, unseen: 20 }, false],
    [{ known: 41, unseen: 21 }, true],
    [{ known: 39, unseen: 20 }, true],
    [{ known: 1_000, unseen: 0 }, false],
  ])('[X14] [G8] a load that leaves out %j is held: %s', (counts, held) => {
    expect(isMassDeletion(counts, guard)).toBe(held);
  });
});

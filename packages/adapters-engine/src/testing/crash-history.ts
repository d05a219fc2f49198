import { seededRandom } from '@doska/core/kernel/testing';
import type { IndexChange } from '@doska/core/vasgen';

const WORDS = ['диван', 'стол', 'phone', 'елка', 'плес', 'и', 'x1'];

/** The change at a place of a log that both the process that dies and the one that judges can compute. */
export const changeAt = (offset: number): IndexChange => {
  const random = seededRandom(offset * 7919 + 1);
  const words = (max: number): string =>
    Array.from({ length: random.below(max) }, () => WORDS[random.below(WORDS.length)]).join(' ');
  const freshness = {
    epoch: 1,
    version: random.below(1 + offset),
    timestampMs: random.below(3),
    kind: random.chance(0.1) ? 'expiry' : 'document',
  } as const;
  const pk = `pk${random.below(150)}`;
  if (freshness.kind === 'expiry' || random.chance(0.2)) return { pk, freshness, event: 'delete' };
  const category = ['auto', 'home', 'dog'][random.below(3)]!;
  const fields = {
    title: words(4),
    body: words(9),
    category,
    price: random.below(9),
    city: `c${random.below(9)}`,
    look: [1, random.below(5), 3],
  };
  return { pk, freshness, event: 'upsert', fields };
};
export const historyUpTo = (offset: number): IndexChange[] =>
  Array.from({ length: offset }, (_, at) => changeAt(at));

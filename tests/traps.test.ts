import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The traps of the offer store, each with the test that steps on it. Whoever renames or drops a test comes by here. */
const GOST = 'packages/core/src/gost';
const traps = [
  [
    'two publishes of one draft',
    'use-cases/drafts',
    'two publishes of one draft at the same time make one offer',
  ],
  [
    'a ban arriving while the seller edits',
    'domain/decide',
    'a ban that arrives while the seller edits is not lost by the edit',
  ],
  ['an unban after expiry', 'domain/decide', 'unban after expiry leads to expired in the same commit'],
  [
    'two feed tasks of one seller out of order',
    'use-cases/load-feed',
    'two loads of one seller out of order: the older one is refused whole',
  ],
  [
    'a late batch of an older task after the terminal of the newer one',
    'use-cases/load-feed',
    'a late batch of an older load after the terminal of the newer one',
  ],
  [
    'a terminal message redelivered',
    'use-cases/load-feed',
    'a terminal delivered again does nothing and says nothing',
  ],
  [
    'a crash between the commit of a feed batch and its answer',
    'use-cases/load-feed',
    'a crash between the commit of a batch and its answer: the answer is part of the commit',
  ],
  [
    'preset counts after random histories',
    'testing/random-histories',
    'preset counts after random histories equal a recount',
  ],
  [
    'an export worker killed between publish and delete',
    'use-cases/export-shard',
    'killed between publish and delete: the next owner repeats, nothing is lost',
  ],
  [
    'two workers believing they own one shard',
    'use-cases/export-shard',
    'two workers believe they own one shard: the fence stops the older one',
  ],
  [
    'a clock that stands, or jumps back',
    'domain/decide',
    '100 commits under %s: versions and times strictly grow',
  ],
  [
    'a price removed before the sale',
    'domain/decide',
    'price removed before the sale: Sold moves, MoneyEarned does not',
  ],
] as const;

test.each(traps)('[G1] [G2] [G5] [G6] [G7] [G8] [G11] %s is a test by name', (_trap, file, title) => {
  const source = readFileSync(new URL(`../${GOST}/${file}.test.ts`, import.meta.url), 'utf8');
  const titles = source.split('\n').filter((line) => line.includes(`trap: ${title}`));
  expect(titles).toHaveLength(1);
  expect(titles[0]).not.toMatch(/\b(skip|todo|only)\b/);
});
test('[G1] there are as many traps as the design names', () => {
  expect(new Set(traps.map(([, , title]) => title)).size).toBe(12);
});

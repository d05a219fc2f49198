import { catalogApi } from '@doska/app-catalog-api';
import { feedsApi } from '@doska/app-feeds-api';
import { FEED_VERDICTS, type SellerId } from '@doska/core/gost';
import type { FeedTaskId, LoadView } from '@doska/core/feeds';
import { madeFeed } from '@doska/core/feeds/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedSystem, type FeedSystem } from './testing/feed-system.ts';

const OFFERS = process.env['DOSKA_TEST_LONG'] ? 100_000 : 2_000;
const WITHIN_MS = 1_800_000;
const WRONG_EVERY = 9;
const CHANGED_EVERY = 100;
const count = (fits: (n: number) => boolean): number =>
  Array.from({ length: OFFERS }, (_, n) => n).filter(fits).length;
const WRONG = count((n) => n % WRONG_EVERY === 0);
const GOOD = OFFERS - WRONG;

let system: FeedSystem;
beforeAll(async () => {
  system = await feedSystem([catalogApi, feedsApi], {}, WITHIN_MS);
});
afterAll(() => system?.stop());
const key = { seller: 'large' as SellerId, namespace: 'main' };
async function* bytesOf(chunks: Iterable<Uint8Array>) {
  yield* chunks;
}
const uploaded = async (chunks: Iterable<Uint8Array>): Promise<FeedTaskId> =>
  (await system.useCases.upload(key, bytesOf(chunks)))._unsafeUnwrap().task.id;
const loaded = async (chunks: Iterable<Uint8Array>, place = 'succeed'): Promise<LoadView> =>
  system.reached(key, await uploaded(chunks), place);
const verdicts = ({ statistics }: LoadView): Readonly<Record<string, number>> =>
  Object.fromEntries(
    FEED_VERDICTS.flatMap((name) => {
      const found = statistics.verdicts[name];
      return found === 0 ? [] : [[name, found] as const];
    }),
  );
/** Every change of an offer, and so every message about it, has a version of its own. */
const versions = async (): Promise<number> => {
  const { rows } = await system.database.pool.query<{ sum: string }>(
    'select coalesce(sum(version), 0) as sum from gost.offer where kind = 0',
  );
  return Number(rows[0]!.sum);
};
/** Of the run that is shown: errors of a broken-off one go with the cleanup. */
const storedErrors = async ({ load, statistics }: LoadView): Promise<number> => {
  const { rows } = await system.database.pool.query<{ n: string }>(
    'select count(*) as n from feeds.offer_errors where seller_id = $1 and task_id = $2 and generation = $3 and error_level = 0',
    [key.seller, load.task.id, statistics.generation],
  );
  return Number(rows[0]!.n);
};
const EMPTY = [new TextEncoder().encode('<feed></feed>')];

test(
  '[P4] [P6] [P12] a large feed through two processors and two schedulers: new, unchanged, changed, cut off, emptied',
  { timeout: WITHIN_MS },
  async () => {
    for (const app of ['feed-processor', 'feed-processor', 'gost-scheduler', 'gost-scheduler'])
      system.start(app);
    const feed = { offers: OFFERS, wrongEvery: WRONG_EVERY };

    const first = await loaded(madeFeed(feed));
    expect(verdicts(first)).toEqual({ inserted: GOOD, rejected: WRONG });
    expect(first.statistics.codes).toMatchObject({ attribute: WRONG });
    expect(await storedErrors(first)).toBe(first.statistics.errors);
    expect(await system.active(key)).toBe(GOOD);

    const before = await versions();
    const again = await loaded(madeFeed(feed));
    expect(verdicts(again)).toEqual({ unchanged: GOOD, rejected: WRONG });
    expect(await versions()).toBe(before);

    const changed = await loaded(madeFeed({ ...feed, changedEvery: CHANGED_EVERY }));
    const updated = count((n) => n % CHANGED_EVERY === 0 && n % WRONG_EVERY !== 0);
    expect(verdicts(changed)).toEqual({ updated, unchanged: GOOD - updated, rejected: WRONG });
    expect(await versions()).toBe(before + updated);

    const whole = Buffer.concat([...madeFeed({ offers: Math.min(OFFERS, 5_000) })]);
    const cut = await loaded([whole.subarray(0, whole.length / 2)], 'failed');
    expect(cut.load.fatal?.code).toBe('truncated');
    expect(cut.load.progress.batchesSent).toBe(0);
    expect(await versions()).toBe(before + updated);

    const emptied = await loaded(EMPTY, 'held');
    expect(await system.active(key)).toBe(GOOD);
    (await system.useCases.settleHeld(key, emptied.load.task.id, 'approve'))._unsafeUnwrap();
    const approved = await system.reached(key, emptied.load.task.id, 'succeed');
    expect(approved.statistics.removed).toBe(GOOD);
    expect(await system.active(key)).toBe(0);

    await loaded(madeFeed(feed));
    expect(await system.active(key)).toBe(GOOD);
    const refused = await loaded(EMPTY, 'held');
    (await system.useCases.settleHeld(key, refused.load.task.id, 'reject'))._unsafeUnwrap();
    await system.reached(key, refused.load.task.id, 'succeed');
    expect(await system.active(key)).toBe(GOOD);
  },
);

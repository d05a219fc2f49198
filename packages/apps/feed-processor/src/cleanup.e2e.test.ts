import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { catalogApi } from '@doska/app-catalog-api';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { FeedsTokens } from '@doska/app-wiring/feeds';
import type { FeedTaskId } from '@doska/core/feeds';
import type { SellerId } from '@doska/core/gost';
import { madeFeed } from '@doska/core/feeds/testing';
import { eventually } from '@doska/core/kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { feedSystem, type FeedSystem } from './testing/feed-system.ts';

/** Everything that a deletion of a load writes, in this order, and how a test makes it wait there. */
const table = (name: string): readonly [string, string] => [
  name,
  `lock table feeds.${name} in exclusive mode`,
];
const STEPS = [
  table('offer_errors'),
  table('feed_statistics'),
  table('offer_batches'),
  table('task_queue'),
  ['stored_value', `select from stored_value where space = 'feed-files-holders' for update`],
  table('tasks'),
  table('old_tasks'),
] as const;
const WITHIN = { withinMs: 240_000 };
const OLD = 2;
/** The newest processed load, and the one that was the newest when it was made. */
const KEPT = [OLD + 2, OLD + 1];
const key = { seller: 'cleaned' as SellerId, namespace: 'main' };

let system: FeedSystem;
beforeAll(async () => {
  const settings = {
    DOSKA_FEEDS_KEEP_PROCESSED: '1',
    DOSKA_FEEDS_KEEP_OTHERS: '1',
    DOSKA_FEEDS_SETTLE_MS: '1000',
  };
  system = await feedSystem([catalogApi, gostScheduler, feedsApi], settings, WITHIN.withinMs);
});
afterAll(() => system?.stop());

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(system.dataDir, folder), { recursive: true })
    .map(String)
    .filter((name) => /[0-9a-f]{64}/.test(name));
const ended = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
};
const shown = async (): Promise<readonly number[]> => {
  const loads = (await system.useCases.listLoads(key, { limit: 100 }))._unsafeUnwrap();
  return loads.map(({ load }) => load.task.id);
};
const rowsOf = async (table: string): Promise<number> => {
  const { rows } = await system.database.pool.query<{ n: string }>(
    `select count(*) as n from feeds.${table} where seller_id = $1 and task_id <= $2`,
    [key.seller, OLD],
  );
  return Number(rows[0]!.n);
};
/** A cleanup that waits before a step, killed there. */
const killAt = async (name: string, lockText: string): Promise<void> => {
  const { pool } = system.database;
  const lock = await pool.connect();
  let victim = system.start('feed-loader');
  try {
    await lock.query('begin');
    await lock.query(lockText);
    await eventually(async () => {
      const { rowCount: waits } = await pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1`,
        [name],
      );
      if (waits! > 0) return;
      // A run that ended before the step: the next process begins another one.
      const { rowCount: ran } = await pool.query(
        `delete from stored_value where space = 'periodic-jobs' and key = 'feeds-cleanup'`,
      );
      if (ran! > 0) {
        await ended(victim);
        victim = system.start('feed-loader');
      }
      throw new Error(`the cleanup does not come to ${name}`);
    }, WITHIN);
    await ended(victim);
    await lock.query('rollback');
  } finally {
    lock.release();
  }
};

test('[P7] kill -9 of the cleanup at each of its steps: the kept load stays whole, and the next run deletes the rest', async () => {
  const processor = system.start('feed-processor');
  for (let n = 1; n <= OLD + KEPT.length; n++) {
    async function* file() {
      yield* madeFeed({ offers: 20 + n, wrongEvery: 5 });
    }
    const { task } = (await system.useCases.upload(key, file()))._unsafeUnwrap();
    await system.reached(key, task.id, 'succeed');
  }
  await ended(processor);
  expect([await rowsOf('tasks'), await rowsOf('old_tasks')]).toEqual([OLD, OLD]);
  expect(filesIn('blobs')).toHaveLength(OLD + KEPT.length);
  for (const [step, lockText] of STEPS) {
    await killAt(step, lockText);
    expect(await shown(), step).toEqual(expect.arrayContaining(KEPT));
    expect(await rowsOf('old_tasks'), step).toBe(OLD);
  }
  const { cleanUp } = system.host.container.get(FeedsTokens.feeds).workers;
  await eventually(async () => {
    (await cleanUp.run({ signal: new AbortController().signal, token: 1 }))._unsafeUnwrap();
    expect(await rowsOf('tasks')).toBe(0);
  }, WITHIN);
  for (const name of ['offer_errors', 'feed_statistics', 'offer_batches', 'task_queue', 'old_tasks'])
    expect(await rowsOf(name), name).toBe(0);
  expect(await shown()).toEqual(KEPT);
  const hashes = await Promise.all(
    KEPT.map(async (task) => (await system.viewOf(key, task as FeedTaskId)).load.file!.hash as string),
  );
  expect(
    filesIn('blobs')
      .map((name) => basename(name))
      .sort(),
  ).toEqual(hashes.sort());
}, 1_200_000);

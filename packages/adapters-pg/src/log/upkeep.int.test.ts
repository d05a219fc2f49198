import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentTelemetry, type TopicSpec } from '@doska/core/kernel';
import {
  eventually,
  freshTopic,
  readAll,
  realClock,
  realIds,
  realRandom,
  record,
  recorder,
  valueOf,
} from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgMessageLog, type PgMessageLog } from './pg-message-log.ts';
import { pruneLog } from './upkeep.ts';

let database: FreshDatabase;
let log: PgMessageLog;
beforeAll(async () => {
  database = await freshDatabase();
  log = pgMessageLog({
    url: database.url,
    pool: database.pool,
    clock: realClock,
    ids: realIds,
    random: realRandom,
    logger: silentTelemetry.logger,
  });
});
afterAll(async () => {
  await log.close();
  await database.drop();
});
const HOUR = 3_600_000;
const filled = async (): Promise<TopicSpec> => {
  const spec = { ...freshTopic(1), retentionMs: HOUR };
  (await log.ensureTopics([spec]))._unsafeUnwrap();
  for (let i = 0; i < 6; i++) (await log.publish([record(spec.name, 'k', `v${i}`)]))._unsafeUnwrap();
  return spec;
};
const age = (topic: string, hours: number) =>
  database.pool.query(
    `update log_batch b set ts = clock_timestamp() - $2 * interval '1 hour' from log_topic t where t.id = b.topic and t.name = $1`,
    [topic, hours],
  );
const left = async (topic: string) => (await readAll(log, topic, 0)).map(valueOf);
const readBy = async (topic: string, group: string, count: number): Promise<void> => {
  const { seen } = recorder();
  const subscription = log.subscribe({
    group,
    topic,
    handler: async ({ records }) => {
      seen.push(...records.slice(0, count - seen.length));
      return seen.length < count
        ? { kind: 'done' }
        : {
            kind: 'blocked',
            handled: Math.min(records.length, count),
            retryAtMs: Date.now() + HOUR,
            reason: 'enough',
          };
    },
  });
  onTestFinished(() => subscription.stop());
  await eventually(() => expect(seen).toHaveLength(count));
  await eventually(async () =>
    expect((await log.lag(group, topic))._unsafeUnwrap()[0]!.committed).toBe(count),
  );
  await subscription.stop();
};

test('[B8] retention deletes old batches but keeps the newest one, which has the next offset', async () => {
  const { name } = await filled();
  await age(name, 2);
  expect((await pruneLog(database.pool, { chunk: 2 }))._unsafeUnwrap()).toMatchObject({ batches: 5 });
  expect(await left(name)).toEqual(['v5']);
  (await log.publish([record(name, 'k', 'next')]))._unsafeUnwrap();
  expect((await readAll(log, name, 0)).map(({ position }) => position.offset)).toEqual([5, 6]);
});
test('[B8] retention keeps young batches', async () => {
  const { name } = await filled();
  await pruneLog(database.pool);
  expect(await left(name)).toHaveLength(6);
});
test('[B8] retention keeps what a registered group has not read, warns at half of the limit, and deletes it past the limit', async () => {
  const { name } = await filled();
  await readBy(name, 'slow', 3);
  await age(name, 1.5);
  const calm = (await pruneLog(database.pool, { unreadFactor: 4 }))._unsafeUnwrap();
  expect(await left(name)).toEqual(['v3', 'v4', 'v5']);
  expect(calm.inDanger.filter(({ topic }) => topic === name)).toEqual([]);
  await age(name, 3);
  const warned = (await pruneLog(database.pool, { unreadFactor: 4 }))._unsafeUnwrap();
  expect(warned.inDanger.find(({ topic }) => topic === name)).toMatchObject({
    group: 'slow',
    partition: 0,
    limitMs: 4 * HOUR,
  });
  expect(await left(name)).toHaveLength(3);
  await age(name, 5);
  await pruneLog(database.pool, { unreadFactor: 4 });
  expect(await left(name)).toEqual(['v5']);
});

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { silentTelemetry, type TopicSpec } from '@doska/core/kernel';
import {
  eventually,
  freshTopic,
  publishSurely,
  readAll,
  realClock,
  realIds,
  realRandom,
  record,
  recorder,
  valueOf,
} from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { pgLogStorage } from './log-storage.ts';
import { pgMessageLog, type PgMessageLog } from './pg-message-log.ts';
import { PgTopics } from './topics.ts';
import { WakeUp } from './wake-up.ts';

/** What only a log on PostgreSQL must prove: the traps of offsets, locks, snapshots and notifications. */
let database: FreshDatabase;
let log: PgMessageLog;
const openLog = (more: { readonly lockTimeoutMs?: number } = {}): PgMessageLog =>
  pgMessageLog({
    url: database.url,
    pool: database.pool,
    clock: realClock,
    ids: realIds,
    random: realRandom,
    logger: silentTelemetry.logger,
    ...more,
  });
beforeAll(async () => {
  database = await freshDatabase({ max: 20 });
  log = openLog();
});
afterAll(async () => {
  await log.close();
  await database.drop();
});
const topic = async (partitions = 1): Promise<TopicSpec> => {
  const spec = freshTopic(partitions);
  (await log.ensureTopics([spec]))._unsafeUnwrap();
  return spec;
};
const transaction = async (isolation = 'read committed'): Promise<pg.PoolClient> => {
  const tx = await database.pool.connect();
  await tx.query(`begin isolation level ${isolation}`);
  let open = true;
  onTestFinished(() => {
    if (open) tx.release(true);
    open = false;
  });
  return Object.assign(tx, { finish: () => (open = false) });
};
const finish = async (tx: pg.PoolClient, how: 'commit' | 'rollback'): Promise<void> => {
  await tx.query(how);
  (tx as pg.PoolClient & { finish(): void }).finish();
  tx.release();
};

describe('offsets', () => {
  test('[B8] pitfall 1: when many processes append to one partition there is no conflict, no gap and no duplicate', async () => {
    const { name } = await topic();
    const logs = Array.from({ length: 6 }, () => openLog());
    await Promise.all(
      logs.flatMap((one, l) =>
        Array.from({ length: 20 }, (_, i) =>
          one.publish([record(name, 'k', `${l}.${i}`)]).then((sent) => expect(sent.isOk()).toBe(true)),
        ),
      ),
    );
    await Promise.all(logs.map((one) => one.close()));
    const seen = await readAll(log, name, 0);
    expect(new Set(seen.map(valueOf)).size).toBe(120);
    expect(seen.map(({ position }) => position.offset)).toEqual(Array.from({ length: 120 }, (_, i) => i));
  });
  test('[B8] pitfall 1: a REPEATABLE READ transaction is refused, because it would not see the last offset', async () => {
    const { name } = await topic();
    const tx = await transaction('repeatable read');
    const refused = await log.publishIn(tx, [record(name, 'k', 'x')]);
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      retryable: false,
      cause: { code: '25001' },
    });
    await finish(tx, 'rollback');
  });
  test('[B8] pitfall 2: transactions that publish to the same partitions in opposite order do not deadlock', async () => {
    const { name } = await topic(2);
    const both = [record(name, 'a', 'x', { partition: 0 }), record(name, 'b', 'y', { partition: 1 })];
    await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        const tx = await transaction();
        const sent = await log.publishIn(tx, i % 2 ? both : [...both].reverse());
        expect(sent.isOk()).toBe(true);
        await finish(tx, 'commit');
      }),
    );
    expect(await readAll(log, name, 0)).toHaveLength(16);
  });
  test('[B8] a reader never skips a record that commits late', async () => {
    const { name } = await topic(2);
    const { handler, seen } = recorder();
    const subscription = log.subscribe({ group: `g-${name}`, topic: name, handler });
    onTestFinished(() => subscription.stop());
    let committed = 0;
    // Producers that commit late, and some that never do.
    await Promise.all(
      Array.from({ length: 8 }, async (_, p) => {
        for (let i = 0; i < 12; i++) {
          const tx = await transaction();
          await log.publishIn(tx, [
            record(name, `k${p}`, `${p}.${String(i).padStart(2, '0')}`, { partition: p % 2 }),
          ]);
          await pause(Math.random() * 10);
          const keep = i % 10 !== 9;
          await finish(tx, keep ? 'commit' : 'rollback');
          committed += Number(keep);
        }
      }),
    );
    await eventually(() => expect(seen).toHaveLength(committed));
    expect(new Set(seen.map(valueOf)).size).toBe(committed);
    for (let p = 0; p < 8; p++) {
      const own = seen.filter(({ key }) => key === `k${p}`).map(valueOf);
      expect(own).toEqual([...own].sort());
    }
  });
  test('[B8] a rolled back transaction publishes nothing and leaves no gap', async () => {
    const { name } = await topic();
    const tx = await transaction();
    await log.publishIn(tx, [record(name, 'k', 'never')]);
    await finish(tx, 'rollback');
    await publishSurely(log, [record(name, 'k', 'first')]);
    expect((await readAll(log, name, 0)).map((one) => [one.position.offset, valueOf(one)])).toEqual([
      [0, 'first'],
    ]);
  });
  test('[B8] pitfall 9: offsets that restarted below a position are an error, not an endless wait', async () => {
    const { name } = await topic();
    await publishSurely(
      log,
      Array.from({ length: 5 }, (_, i) => record(name, 'k', `v${i}`)),
    );
    const { handler, seen } = recorder();
    const first = log.subscribe({ group: `g-${name}`, topic: name, handler });
    await eventually(() => expect(seen).toHaveLength(5));
    await first.stop();
    await database.pool.query(
      'delete from log_batch b using log_topic t where t.id = b.topic and t.name = $1',
      [name],
    );
    const late = log.subscribe({ group: `g-${name}`, topic: name, handler });
    expect((await late.ended)._unsafeUnwrapErr()).toMatchObject({
      kind: 'PositionGone',
      head: 0,
      position: { offset: 5 },
    });
  });
  test('[B6] [B8] a fenced publish to a deleted topic does not use up its sequence', async () => {
    const spec = await topic();
    const stale = openOnTestEnd();
    const publish = (sequence: number) =>
      stale.publish([record(spec.name, 'k', `v${sequence}`)], {
        fence: { resource: `r-${spec.name}`, token: 1, sequence },
      });
    expect((await publish(1)).isOk()).toBe(true);
    await database.pool.query('select log_delete_topic($1)', [spec.name]);
    (await openLogOnce((one) => one.ensureTopics([spec])))._unsafeUnwrap();
    expect((await publish(2)).isErr()).toBe(true);
    expect((await publish(2)).isOk()).toBe(true);
    expect((await readAll(openOnTestEnd(), spec.name, 0)).map(valueOf)).toEqual(['v2']);
  });
  test('[B8] deleting a topic ends its idle subscription, also one that has read no record yet', async () => {
    const { name } = await topic();
    const subscription = log.subscribe({ group: `g-${name}`, topic: name, handler: recorder().handler });
    await eventually(async () =>
      expect((await log.groups())._unsafeUnwrap()).toContainEqual({ group: `g-${name}`, topic: name }),
    );
    await database.pool.query('select log_delete_topic($1)', [name]);
    expect((await subscription.ended)._unsafeUnwrapErr()).toMatchObject({
      kind: 'PositionGone',
      position: { topic: name },
    });
  });
  test('[B8] a process with a cached topic does not write to it after it was deleted', async () => {
    const spec = await topic();
    const stale = openLog();
    await publishSurely(stale, [record(spec.name, 'k', 'old life')]);
    await database.pool.query('select log_delete_topic($1)', [spec.name]);
    (await openLogOnce((one) => one.ensureTopics([spec])))._unsafeUnwrap();
    expect((await stale.publish([record(spec.name, 'k', 'lost?')])).isErr()).toBe(true);
    expect((await stale.publish([record(spec.name, 'k', 'new life')])).isOk()).toBe(true);
    expect((await readAll(openOnTestEnd(), spec.name, 0)).map(valueOf)).toEqual(['new life']);
    await stale.close();
  });
});
const openOnTestEnd = (): PgMessageLog => {
  const one = openLog();
  onTestFinished(() => one.close());
  return one;
};
const openLogOnce = async <T>(use: (one: PgMessageLog) => PromiseLike<T>): Promise<T> => use(openOnTestEnd());

describe('a stuck publisher', () => {
  test('[B8] pitfall 5: blocks only its own partition; the waiting records are published in order when it ends', async () => {
    const { name } = await topic(4);
    const stuck = await transaction();
    await log.publishIn(stuck, [record(name, 'k', 'stuck', { partition: 0 })]);
    const waiting = [1, 2, 3].map((n) =>
      log.publish([
        record(name, 'k', `waited ${n}`, { partition: 0 }),
        record(name, 'k', `mixed ${n}`, { partition: 1 }),
      ]),
    );
    let settled = 0;
    for (const one of waiting) void one.then(() => settled++);
    for (let i = 0; i < 20; i++)
      expect(
        (
          await log.publish([1, 2, 3].map((partition) => record(name, 'k', `free ${i}`, { partition })))
        ).isOk(),
      ).toBe(true);
    expect(settled).toBe(0);
    expect(await readAll(log, name, 0)).toEqual([]);
    await finish(stuck, 'commit');
    for (const one of await Promise.all(waiting)) expect(one.isOk()).toBe(true);
    expect((await readAll(log, name, 0)).map(valueOf)).toEqual(['stuck', 'waited 1', 'waited 2', 'waited 3']);
  });
  test('[B8] pitfall 5: a caller waits for it for a bounded time only', async () => {
    const { name } = await topic(1);
    const impatient = openLog({ lockTimeoutMs: 200 });
    onTestFinished(() => impatient.close());
    const stuck = await transaction();
    await log.publishIn(stuck, [record(name, 'k', 'stuck')]);
    expect((await impatient.publish([record(name, 'k', 'x')]))._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      retryable: true,
    });
    await finish(stuck, 'rollback');
    expect((await impatient.publish([record(name, 'k', 'y')])).isOk()).toBe(true);
  });
});

describe('upkeep of the server', () => {
  test('[B8] pitfall 4: a held snapshot makes publishing no slower: finding the last offset reads as many pages', async () => {
    const { name } = await topic();
    const pages = async (): Promise<number> => {
      const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) select last_off from log_batch where topic = (select id from log_topic where name = '${name}') and part = 0 order by last_off desc limit 1`,
      );
      const { Plan } = rows[0]!['QUERY PLAN'][0];
      return Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
    };
    await publishSurely(log, [record(name, 'k', 'first')]);
    const snapshot = await transaction('repeatable read');
    await snapshot.query('select count(*) from log_batch');
    for (let i = 0; i < 600; i++) await log.publish([record(name, 'k', `v${i}`)]);
    expect(await pages()).toBeLessThanOrEqual(8); // a b-tree's height and one heap page, not 600 dead versions
    await finish(snapshot, 'rollback');
  });
  test('[B8] pitfall 7: no notification is part of a publishing transaction', async () => {
    const { name } = await topic();
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    onTestFinished(() => listener.end());
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(...(payload?.split('\n') ?? [])));
    await listener.query('listen doska_log');
    const tx = await transaction();
    await log.publishIn(tx, [record(name, 'k', 'x')]);
    await finish(tx, 'commit');
    await pause(100);
    await listener.query('select 1');
    expect(heard).not.toContain(name);
    log.published([name]);
    await eventually(() => expect(heard).toContain(name));
  });

  test('[X14] a position that is committed under an old token is refused and changes nothing', async () => {
    const { name } = await topic();
    await publishSurely(
      log,
      [1, 2, 3].map((n) => record(name, 'k', `${n}`)),
    );
    const wakeUp = new WakeUp({ url: database.url, clock: realClock, logger: silentTelemetry.logger });
    onTestFinished(() => wakeUp.close());
    const topics = new PgTopics(database.pool);
    const storage = pgLogStorage({ pool: database.pool, topics, wakeUp, nowMs: () => Date.now() });
    const claim = { group: 'g', topic: name, partition: 0 };
    await storage.topic(name);
    (await storage.claim({ ...claim, token: 1 }))._unsafeUnwrap();
    (await storage.claim({ ...claim, token: 2 }))._unsafeUnwrap();
    expect(
      (await storage.commit('g', name, [{ partition: 0, offset: 3, token: 1 }]))._unsafeUnwrap(),
    ).toEqual([0]);
    expect((await storage.claim({ ...claim, token: 2 }))._unsafeUnwrap().offset).toBe(0);
    expect(
      (await storage.commit('g', name, [{ partition: 0, offset: 2, token: 2 }]))._unsafeUnwrap(),
    ).toEqual([]);
    expect((await storage.claim({ ...claim, token: 3 }))._unsafeUnwrap().offset).toBe(2);
    expect((await storage.claim({ ...claim, token: 2 }))._unsafeUnwrapErr().kind).toBe('ClaimLost');
  });
});

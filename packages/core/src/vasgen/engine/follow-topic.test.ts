import { err, okAsync, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import { silentTelemetry, type BlockedPartition, type MessageLog } from '../../kernel/index.ts';
import {
  eventually,
  inMemoryMessageLog,
  manualClock,
  memoryLogServer,
  realClock,
  realIds,
  realRandom,
} from '../../kernel/testing.ts';
import { inMemoryEngine, memoryEngineServer, type InMemoryEngine } from '../testing/in-memory-engine.ts';
import { jsonIndexRecords } from '../testing/json-index-records.ts';
import { plainAnalyzer } from '../testing/plain-analyzer.ts';
import { remove, upsert } from '../testing/search-engine-probe.ts';
import { followTopic, type IndexFeed } from './follow-topic.use-case.ts';
import type { IndexChange } from './index-change.ts';
import type { IndexSchema } from './index-schema.ts';
import type { RebuildSource } from './rebuild-source.port.ts';
import type { IndexName } from './index-name.ts';

const topic = 'vasgen-offers-index';
const name = 'sample' as IndexName;
const schema: IndexSchema = { title: { kind: 'text' }, price: { kind: 'number' } };

const openedLog = async (): Promise<MessageLog> => {
  const server = memoryLogServer(realClock.nowMs);
  const log = inMemoryMessageLog({ server, clock: realClock, ids: realIds, random: realRandom });
  const spec = { name: topic, partitions: 3, retentionMs: 1e9, recordBytesMax: 1 << 20 };
  (await log.ensureTopics([spec]))._unsafeUnwrap();
  return log;
};
const openedEngine = async (server = memoryEngineServer()): Promise<InMemoryEngine> => {
  const engine = inMemoryEngine({ analyzer: plainAnalyzer, server });
  (await engine.create({ name, epoch: 1, schema }))._unsafeUnwrap();
  return engine;
};
/** Two changes a page, counted. */
const sourceOf = (changes: readonly IndexChange[], number = 1) => {
  const source = {
    pages: 0,
    scan: (_epoch: number, cursor = '0') => {
      source.pages++;
      const from = Number(cursor);
      const next = from + 2 < changes.length ? { next: String(from + 2) } : {};
      return okAsync({ changes: changes.slice(from, from + 2), schema: number, ...next });
    },
  } satisfies RebuildSource & { pages: number };
  return source;
};
/** What receivers have agreed on; `asked` counts the questions. */
const schemasOf = (number: number, present: IndexSchema) => {
  const source = {
    asked: 0,
    number,
    schema: present,
    current: () => {
      source.asked++;
      return okAsync({ number: source.number, schema: source.schema });
    },
  };
  return source;
};
const blockedList = () => {
  const all = new Map<string, Omit<BlockedPartition, 'sinceMs'>>();
  const key = ({ topic: of, partition }: { topic: string; partition: number }) => `${of}/${partition}`;
  return {
    all,
    blocked: (one: Omit<BlockedPartition, 'sinceMs'>) => void all.set(key(one), one),
    freed: (one: { topic: string; partition: number }) => void all.delete(key(one)),
  };
};
const publish = async (log: MessageLog, changes: readonly IndexChange[], number = 1) =>
  (
    await log.publish(
      changes.map((change) => ({
        topic,
        key: change.pk,
        partition: 0,
        value: jsonIndexRecords.encode({ schema: number, change }),
      })),
    )
  )._unsafeUnwrap();
const others = () => ({
  clock: realClock,
  logger: silentTelemetry.logger,
  codec: jsonIndexRecords,
  topic,
  index: name,
  schemas: schemasOf(1, schema),
  rebuild: sourceOf([]),
  blocked: blockedList(),
});
const caughtUp = (feed: IndexFeed) => eventually(() => expect(feed.state().caughtUp).toBe(true));
const alive = (engine: InMemoryEngine) =>
  engine
    .living(name)
    .map(({ pk, freshness: { version } }) => `${pk}@${version}`)
    .sort();

const scanned = [
  upsert('old', { title: 'диван' }),
  upsert('a', { price: 1 }),
  remove('gone', { version: 8 }),
];
const logged = [
  upsert('a', { price: 2 }, { version: 2 }),
  upsert('b', { title: 'стол' }),
  upsert('gone', {}, { version: 7 }),
  upsert('a', { price: 9 }, { epoch: 2, version: 9 }),
];

test('[V8] a new index is rebuilt from its source, then follows the log and says when it has caught up', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  await publish(log, logged);
  const rebuild = sourceOf(scanned);
  const feed = followTopic({ ...others(), log, engine, rebuild });
  await caughtUp(feed);
  expect(rebuild.pages).toBe(2);
  expect(feed.state()).toMatchObject({ rebuilds: 1, foreign: 1, stale: 1, stopped: [] });
  expect(alive(engine)).toEqual(['a@2', 'b@1', 'old@1']);
  const info = (await engine.indexes())._unsafeUnwrap()[0]!;
  expect(info.caughtUp).toBe(true);
  expect(info.positions).toHaveLength(3);
  // Live from here on.
  await publish(log, [upsert('live', {})]);
  await eventually(() => expect(alive(engine)).toContain('live@1'));
  await feed.stop();
  await log.close();
});

test('[V8] an index that knows its positions goes on from there, without a rebuild', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  const rebuild = sourceOf(scanned);
  const first = followTopic({ ...others(), log, engine, rebuild });
  await caughtUp(first);
  await first.stop();
  await publish(log, logged);
  const second = followTopic({ ...others(), log, engine, rebuild });
  await caughtUp(second);
  expect(second.state()).toMatchObject({ rebuilds: 0, applied: 2, stale: 1, foreign: 1 });
  expect(alive(engine)).toEqual(['a@2', 'b@1', 'old@1']);
  await second.stop();
  await log.close();
});

test('[V8] a searcher that was away too long is rebuilt and comes back without ghosts', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  const positions = [0, 1, 2].map((partition) => ({ log: 'another life', topic, partition, offset: 5 }));
  // Deleted while it was away: the delete is pruned from the log, the tombstone is forgotten by the registry.
  await engine.apply(name, [upsert('ghost', { price: 1 }), upsert('old', { title: 'диван' })], { positions });
  await publish(log, logged);
  const feed = followTopic({ ...others(), log, engine, rebuild: sourceOf(scanned) });
  await caughtUp(feed);
  expect(feed.state()).toMatchObject({ rebuilds: 1, swept: 1 });
  expect(alive(engine)).toEqual(['a@2', 'b@1', 'old@1']);
  await engine.drop(name);
  await publish(log, [upsert('late', {})]);
  expect(await feed.ended).toEqual(err({ kind: 'UnknownIndex', name }));
  await log.close();
});

test('[V4] a record of a newer schema makes the index ask once and grow; no document is refused', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  const schemas = schemasOf(1, schema);
  const feed = followTopic({ ...others(), log, engine, schemas, rebuild: sourceOf(scanned) });
  await caughtUp(feed);
  const before = schemas.asked;
  await publish(log, [upsert('same', { price: 3 })]);
  await eventually(() => expect(alive(engine)).toContain('same@1'));
  expect(schemas.asked).toBe(before);
  schemas.number = 2;
  schemas.schema = { ...schema, color: { kind: 'enum' } };
  await publish(log, [upsert('red', { color: 'red' }), upsert('blue', { color: 'blue' })], 2);
  await eventually(() => expect(alive(engine)).toContain('blue@1'));
  expect(alive(engine)).toContain('red@1');
  expect(schemas.asked).toBe(before + 1);
  expect(feed.state().stopped).toEqual([]);
  await feed.stop();
  await log.close();
});

test('[V4] a searcher that is started again grows before it applies, in a rebuild too', async () => {
  const log = await openedLog();
  const schemas = schemasOf(5, { ...schema, color: { kind: 'enum' } });
  await publish(log, [upsert('logged', { color: 'red' })], 5);
  const engine = await openedEngine();
  const rebuild = sourceOf([upsert('scanned', { color: 'blue' })], 5);
  const feed = followTopic({ ...others(), log, engine, schemas, rebuild });
  await caughtUp(feed);
  expect(alive(engine)).toEqual(['logged@1', 'scanned@1']);
  await feed.stop();
  await log.close();
});

test('[V4] a schema source that lags is asked again: nothing is applied under less than the record says', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  const schemas = schemasOf(1, schema);
  const feed = followTopic({ ...others(), log, engine, schemas });
  await caughtUp(feed);
  await publish(log, [upsert('a', { price: 1 })], 2);
  await eventually(() => expect(schemas.asked).toBeGreaterThan(3));
  expect(alive(engine)).toEqual([]);
  schemas.number = 2;
  await eventually(() => expect(alive(engine)).toEqual(['a@1']));
  expect(feed.state().stopped).toEqual([]);
  await feed.stop();
  await log.close();
});

test('[V8] what is refused even then stops its partition, loudly, and no other; it goes on once it can', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  const time = manualClock(realClock.nowMs());
  const schemas = schemasOf(1, schema);
  const blocked = blockedList();
  const feed = followTopic({ ...others(), clock: time.clock, log, engine, schemas, blocked });
  await caughtUp(feed);
  await publish(log, [upsert('before', {}), upsert('bad', { color: 'red' }), upsert('after', {})]);
  await eventually(() => expect(feed.state().stopped).toHaveLength(1));
  const [stopped] = feed.state().stopped;
  expect(stopped).toMatchObject({ key: 'bad', position: { partition: 0, offset: 1 } });
  expect(stopped!.reason).toContain('color');
  expect([...blocked.all.values()]).toMatchObject([
    { group: name, topic, partition: 0, offset: 1, key: 'bad' },
  ]);
  // The index stands at the record, so that a restart finds it again.
  await eventually(async () => {
    const { positions } = (await engine.indexes())._unsafeUnwrap()[0]!;
    expect(positions.find(({ partition }) => partition === 0)?.offset).toBe(1);
  });
  const other = { topic, key: 'elsewhere', partition: 1 };
  const change = upsert('elsewhere', {});
  (await log.publish([{ ...other, value: jsonIndexRecords.encode({ schema: 1, change }) }]))._unsafeUnwrap();
  await eventually(() => expect(alive(engine)).toContain('elsewhere@1'));
  schemas.schema = { ...schema, color: { kind: 'enum' } };
  await eventually(async () => {
    await time.advance(6_000);
    expect(alive(engine)).toEqual(['after@1', 'bad@1', 'before@1', 'elsewhere@1']);
  });
  await eventually(() => expect(feed.state().stopped).toEqual([]));
  expect(blocked.all.size).toBe(0);
  await feed.stop();
  await log.close();
});

test.each([
  [
    'a record that can not be read',
    (log: MessageLog) => log.publish([{ topic, key: 'x', partition: 0, value: Uint8Array.of(1) }]),
  ],
  ['a schema that changes a type', async (log: MessageLog) => publish(log, [upsert('x', {})], 2)],
])('[V8] %s stops the partition too, and a stop of the feed takes the report back', async (_, spoil) => {
  const log = await openedLog();
  const engine = await openedEngine();
  const schemas = schemasOf(1, schema);
  const blocked = blockedList();
  const feed = followTopic({ ...others(), log, engine, schemas, blocked });
  await caughtUp(feed);
  schemas.number = 2;
  schemas.schema = { ...schema, price: { kind: 'enum' } };
  await spoil(log);
  await publish(log, [upsert('behind', {})]);
  await eventually(() => expect(blocked.all.size).toBe(1));
  expect(alive(engine)).toEqual([]);
  await feed.stop();
  expect(blocked.all.size).toBe(0);
  await log.close();
});

test('[V8] a scan that the index refuses is reported and tried again; the documents of before are found meanwhile', async () => {
  const log = await openedLog();
  const engine = await openedEngine();
  await engine.apply(name, [upsert('known', {})]);
  const schemas = schemasOf(1, schema);
  const blocked = blockedList();
  const rebuild = sourceOf([upsert('new', { color: 'red' })]);
  const feed = followTopic({ ...others(), log, engine, schemas, rebuild, blocked });
  await eventually(() => expect(feed.state().stopped).toMatchObject([{ key: 'new' }]));
  expect(blocked.all.size).toBe(1);
  expect(alive(engine)).toEqual(['known@1']);
  expect((await engine.indexes())._unsafeUnwrap()[0]).toMatchObject({ positions: [], caughtUp: false });
  schemas.schema = { ...schema, color: { kind: 'enum' } };
  await caughtUp(feed);
  expect(alive(engine)).toEqual(['new@1']);
  expect(blocked.all.size).toBe(0);
  await feed.stop();
  await log.close();
});

test('[V11] an index of another analyzer ends the feed with both names, and is neither rebuilt nor wiped', async () => {
  const log = await openedLog();
  const server = memoryEngineServer();
  await openedEngine(server);
  const engine = inMemoryEngine({ analyzer: { ...plainAnalyzer, id: 'plain-2' }, server });
  const rebuild = sourceOf(scanned);
  const ended: Result<void, unknown> = await followTopic({ ...others(), log, engine, rebuild }).ended;
  const other = { kind: 'OtherAnalyzer', name, built: 'plain-1', present: 'plain-2' };
  expect(ended).toEqual(err(other));
  expect(rebuild.pages).toBe(0);
  expect((await engine.create({ name, epoch: 1, schema }))._unsafeUnwrapErr()).toEqual(other);
  expect((await engine.create({ name: 'epoch-2' as IndexName, epoch: 2, schema })).isOk()).toBe(true);
  expect((await engine.drop(name)).isOk()).toBe(true);
  expect((await engine.create({ name, epoch: 1, schema })).isOk()).toBe(true);
  await log.close();
});

import { silentTelemetry, type Codec, type MessageLog } from '@doska/core/kernel';
import {
  eventually,
  inMemoryMessageLog,
  memoryLogServer,
  realClock,
  realIds,
  realRandom,
} from '@doska/core/kernel/testing';
import type { IndexChange, RebuildSource } from '@doska/core/vasgen';
import { plainAnalyzer, remove, upsert } from '@doska/core/vasgen/testing';
import { err, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { openEmbeddedEngine } from '../engine/embedded-engine.ts';
import { differences, sampleSpec, truthOf } from '../testing/engine-probe.ts';
import { followTopic } from './index-feed.ts';

const { name } = sampleSpec;
const codec: Codec<IndexChange> = {
  encode: (change) => new TextEncoder().encode(JSON.stringify(change)),
  decode: (bytes) => {
    try {
      return ok(JSON.parse(new TextDecoder().decode(bytes)) as IndexChange);
    } catch {
      return err({ kind: 'Malformed', what: 'change' });
    }
  },
};
const topic = 'vasgen-offers-index';
const openedLog = async (): Promise<MessageLog> => {
  const server = memoryLogServer(realClock.nowMs);
  const log = inMemoryMessageLog({ server, clock: realClock, ids: realIds, random: realRandom });
  (
    await log.ensureTopics([{ name: topic, partitions: 3, retentionMs: 1e9, recordBytesMax: 1 << 20 }])
  )._unsafeUnwrap();
  return log;
};
const openedEngine = async () => {
  const options = { analyzer: plainAnalyzer, clock: realClock, horizonMs: Infinity, segmentDocuments: 8 };
  const engine = (await openEmbeddedEngine(options))._unsafeUnwrap();
  (await engine.create(sampleSpec))._unsafeUnwrap();
  return engine;
};
/** Two changes a page, counted. */
const sourceOf = (changes: readonly IndexChange[]) => {
  const source = {
    pages: 0,
    scan: (_epoch: number, cursor = '0') => {
      source.pages++;
      const from = Number(cursor);
      const next = from + 2 < changes.length ? { next: String(from + 2) } : {};
      return okAsync({ changes: changes.slice(from, from + 2), ...next });
    },
  } satisfies RebuildSource & { pages: number };
  return source;
};
const publish = (log: MessageLog, changes: readonly IndexChange[]) =>
  log.publish(changes.map((change) => ({ topic, key: change.pk, value: codec.encode(change) })));
const others = { clock: realClock, logger: silentTelemetry.logger, codec, topic, index: name };

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
const truth = truthOf([...scanned, ...logged.slice(0, 3)]);

test('[V8] a new index is rebuilt from its source, then follows the log and says when it has caught up', async () => {
  const [log, engine] = [await openedLog(), await openedEngine()];
  await publish(log, logged);
  await log.publish([{ topic, key: 'b', value: Uint8Array.of(1, 2) }]);
  const rebuild = sourceOf(scanned);
  const feed = followTopic({ ...others, log, engine, rebuild });
  await eventually(() => expect(feed.state().caughtUp).toBe(true));
  expect(rebuild.pages).toBe(2);
  expect(feed.state()).toMatchObject({ rebuilds: 1, foreign: 1, refused: 1, stale: 1 });
  expect(await differences(engine, truth)).toEqual([]);
  const info = (await engine.indexes())._unsafeUnwrap()[0]!;
  expect(info.caughtUp).toBe(true);
  expect(info.positions).toHaveLength(3);
  // Live from here on.
  await publish(log, [upsert('live', {})]);
  await eventually(async () => expect((await engine.indexes())._unsafeUnwrap()[0]!.documents).toBe(4));
  await feed.stop();
  await engine.close();
  await log.close();
});

test('[V8] an index that knows its positions goes on from there, without a rebuild', async () => {
  const [log, engine] = [await openedLog(), await openedEngine()];
  const rebuild = sourceOf(scanned);
  const first = followTopic({ ...others, log, engine, rebuild });
  await eventually(() => expect(first.state().caughtUp).toBe(true));
  await first.stop();
  await publish(log, logged);
  const second = followTopic({ ...others, log, engine, rebuild });
  await eventually(() => expect(second.state().caughtUp).toBe(true));
  expect(second.state()).toMatchObject({ rebuilds: 0, applied: 2, stale: 1, foreign: 1 });
  expect(await differences(engine, truth)).toEqual([]);
  await second.stop();
  await engine.close();
  await log.close();
});

test('[V8] positions of another log, or gone from it, make a rebuild; an index that is gone ends the feed', async () => {
  const [log, engine] = [await openedLog(), await openedEngine()];
  const positions = [0, 1, 2].map((partition) => ({ log: 'another life', topic, partition, offset: 5 }));
  await engine.apply(name, [], { positions });
  await publish(log, logged);
  const feed = followTopic({ ...others, log, engine, rebuild: sourceOf(scanned) });
  await eventually(() => expect(feed.state().caughtUp).toBe(true));
  expect(feed.state().rebuilds).toBe(1);
  expect(await differences(engine, truth)).toEqual([]);
  await engine.drop(name);
  await publish(log, [upsert('late', {})]);
  expect(await feed.ended).toEqual(err({ kind: 'UnknownIndex', name }));
  await engine.close();
  await log.close();
});

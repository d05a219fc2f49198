import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentTelemetry } from '@doska/core/kernel';
import {
  inMemoryMessageLog,
  memoryLogServer,
  realClock,
  realIds,
  realRandom,
} from '@doska/core/kernel/testing';
import { followTopic, type IndexName } from '@doska/core/vasgen';
import { jsonIndexRecords } from '@doska/core/vasgen/testing';
import { openWorkerEngine, type EmbeddedEngine } from '@doska/adapters-engine';
import { okAsync } from 'neverthrow';
import { planOf, queryOf, upsertOf, type BenchQuery } from './engine/corpus.ts';
import { OpenSearchPeer } from './engine/opensearch.ts';
import { canRunOpenSearch, startOpenSearch } from './engine/opensearch-server.ts';
import { analyzerModule, benchSpec, freshDir, name, removeDir, seen } from './engine/own.ts';
import type { PeerAnswer } from './engine/peer.ts';
import { numberOption, runBench, type Ratio, type Variant } from './harness.ts';
import { spread } from './statistics.ts';

const args = process.argv.slice(2);
const documents = numberOption(args, '--docs', 200_000);
/** Documents a round of indexing: enough for several snapshots. */
const slice = Math.min(documents, numberOption(args, '--slice', 40_000));
const BULK = 1000;
const KINDS = ['q1', 'q2', 'q3'] as const;
const QUERIES = { q1: 60, q2: 40, q3: 10 } as const;

const codec = jsonIndexRecords;
const topic = 'vasgen-bench-index';
const rebuild = { scan: () => okAsync({ changes: [], schema: 0 }) };
const schemas = { current: () => okAsync({ number: 0, schema: benchSpec.schema }) };
const blocked = { blocked: () => undefined, freed: () => undefined };

/** A log with the first `count` documents in it, two partitions. */
const filledLog = async (count: number) => {
  const server = memoryLogServer(realClock.nowMs);
  const log = inMemoryMessageLog({ server, clock: realClock, ids: realIds, random: realRandom });
  const spec = { name: topic, partitions: 2, retentionMs: 1e9, recordBytesMax: 1 << 20 };
  (await log.ensureTopics([spec]))._unsafeUnwrap();
  for (let from = 0; from < count; from += BULK) {
    const changes = Array.from({ length: Math.min(BULK, count - from) }, (_, at) => upsertOf(from + at, 1));
    const records = changes.map((change) => ({
      topic,
      key: change.pk,
      value: codec.encode({ schema: 0, change }),
    }));
    (await log.publish(records))._unsafeUnwrap();
  }
  return log;
};
/** From the log to the index until it says that it has caught up; snapshots are taken on the way. */
const follow = async (
  engine: EmbeddedEngine,
  index: IndexName,
  log: Awaited<ReturnType<typeof filledLog>>,
): Promise<void> => {
  const { logger } = silentTelemetry;
  const needs = { engine, index, log, topic, codec, schemas, rebuild, blocked, logger };
  const feed = followTopic({ ...needs, clock: realClock });
  while (!feed.state().caughtUp) await new Promise((resolve) => setTimeout(resolve, 5));
  await feed.stop();
};
const countOf = async (engine: EmbeddedEngine, index: IndexName): Promise<number> =>
  (await engine.indexes())._unsafeUnwrap().find((one) => one.name === index)?.documents ?? 0;
const expectCount = (who: string, count: number, expected: number): void => {
  if (count !== expected) throw new Error(`${who} holds ${count} documents, not ${expected}`);
};

const dir = freshDir();
const settings = { analyzer: analyzerModule, dir, snapshotChanges: 10_000 };
const engine = (await openWorkerEngine(settings))._unsafeUnwrap();
const log = await filledLog(slice);
/** Into an index of its own, in an engine that is warm as a server is. */
const indexOnce = async (index: IndexName): Promise<number> => {
  (await engine.create({ ...benchSpec, name: index }))._unsafeUnwrap();
  const began = performance.now();
  await follow(engine, index, log);
  const seconds = (performance.now() - began) / 1000;
  expectCount('the engine', await countOf(engine, index), slice);
  (await engine.drop(index))._unsafeUnwrap();
  return slice / seconds;
};
await indexOnce('warm' as IndexName);
const engineIndexing: Variant = {
  name: 'engine.indexing',
  run: async (round) => ({ value: await indexOnce(`round-${round}` as IndexName) }),
};

const timed = (
  who: string,
  kind: BenchQuery['kind'],
  ask: (query: BenchQuery) => Promise<PeerAnswer>,
  check?: typeof ask,
): Variant => ({
  name: `${who}.${kind}`,
  run: async (round) => {
    const times: number[] = [];
    for (let at = 0; at < QUERIES[kind]; at++) {
      const query = queryOf(kind, round * 1000 + at);
      const began = performance.now();
      const answer = await ask(query);
      times.push(performance.now() - began);
      const expected = check ? await check(query) : answer;
      if (JSON.stringify(answer) !== JSON.stringify(expected))
        throw new Error(`${who} ${kind}: ${JSON.stringify(answer)}, ours ${JSON.stringify(expected)}`);
    }
    const ms = spread(times).median;
    return { value: 1000 / ms, figures: { ms } };
  },
});

const variants: Variant[] = [engineIndexing];
const ratios: Ratio[] = [];
const closing: (() => Promise<void>)[] = [];
if (canRunOpenSearch()) {
  const server = await startOpenSearch(join(fileURLToPath(new URL('.', import.meta.url)), '../opensearch'));
  closing.push(server.stop);
  const peer = new OpenSearchPeer(server);
  const bodies = (count: number): string[] =>
    Array.from({ length: Math.ceil(count / BULK) }, (_, batch) =>
      OpenSearchPeer.body(
        Array.from({ length: Math.min(BULK, count - batch * BULK) }, (_, at) =>
          upsertOf(batch * BULK + at, 1),
        ),
      ),
    );
  /** Two requests at a time. */
  const send = async (all: readonly string[]): Promise<void> => {
    const waiting = [...all];
    const sender = async (): Promise<void> => {
      for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) await peer.bulk(body);
    };
    await Promise.all([sender(), sender()]);
  };
  const prepared = bodies(slice);
  await peer.create('warm');
  await send(prepared.slice(0, 10));
  await peer.drop('warm');
  variants.push({
    name: 'opensearch.indexing',
    run: async (round) => {
      await peer.create(`round-${round}`);
      const began = performance.now();
      await send(prepared);
      await peer.refresh();
      const seconds = (performance.now() - began) / 1000;
      expectCount('OpenSearch', await peer.count(), slice);
      await peer.drop(`round-${round}`);
      return { value: slice / seconds };
    },
  });
  ratios.push({
    name: 'indexing_vs_opensearch',
    subject: 'engine.indexing',
    baseline: 'opensearch.indexing',
    goal: 1,
  });

  (await engine.create(benchSpec))._unsafeUnwrap();
  await follow(engine, name, documents === slice ? log : await filledLog(documents));
  const queried = new OpenSearchPeer(server);
  await queried.create('queried');
  for (let from = 0; from < documents; from += BULK)
    await queried.bulk(
      OpenSearchPeer.body(
        Array.from({ length: Math.min(BULK, documents - from) }, (_, at) => upsertOf(from + at, 1)),
      ),
    );
  await queried.refresh();
  const ours = async (query: BenchQuery): Promise<PeerAnswer> =>
    seen((await engine.execute({ index: name }, planOf(query)))._unsafeUnwrap());
  for (let warm = 0; warm < 50; warm++)
    for (const kind of KINDS)
      await Promise.all([ours(queryOf(kind, warm)), queried.query(queryOf(kind, warm))]);
  for (const kind of KINDS) {
    variants.push(
      timed('engine', kind, ours),
      timed('opensearch', kind, (query) => queried.query(query), ours),
    );
    ratios.push({ name: `${kind}_vs_opensearch`, subject: `engine.${kind}`, baseline: `opensearch.${kind}` });
  }
} else console.error('no Java or no Maven: the engine is measured alone');

await runBench({ name: 'indexing', unit: 'a second', variants, ratios });
for (const close of closing) await close();
await engine.close();
removeDir(dir);
await log.close();

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { silentTelemetry } from '@doska/core/kernel';
import {
  eventually,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  realClock,
  realIds,
  realRandom,
} from '@doska/core/kernel/testing';
import { defaultVasgenSettings, indexTopic, openVasgen, type RawDocument } from '@doska/core/vasgen';
import { inMemoryVasgenStores, jsonVasgenCodecs, sampleClient } from '@doska/core/vasgen/testing';
import { expect, onTestFinished, test } from 'vitest';
import { DEADLY_WORD } from '../testing/dying-analyzer.ts';
import { openWorkerEngine } from './worker-engine.ts';

const client = sampleClient();
const SHARDS = 2;
const analyzer = {
  module: new URL('../../dist/testing/dying-analyzer.js', import.meta.url).href,
  export: 'dyingAnalyzer',
};
const document = (n: number): RawDocument => ({
  pk: `d${n}`,
  event: 'upsert',
  epoch: 1,
  version: 1,
  composedAtMs: Date.now(),
  fields: [{ name: 'title', kind: 'text', multiple: false, value: 'red bicycle' }],
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
});

/** A receiver, an indexer and a searcher with the real engine in its thread, over stores in memory. */
const pipeline = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-dying-'));
  const db = memoryDatabase({ nowMs: realClock.nowMs });
  const server = memoryLogServer(realClock.nowMs);
  const log = inMemoryMessageLog({ server, clock: realClock, ids: realIds, random: realRandom });
  const topic = { name: indexTopic(client), partitions: 2, retentionMs: 1e9, recordBytesMax: 1 << 20 };
  (await log.ensureTopics([topic]))._unsafeUnwrap();
  const vasgen = openVasgen(
    {
      stores: inMemoryVasgenStores(db),
      codecs: jsonVasgenCodecs,
      log,
      blobs: inMemoryBlobStore(),
      storage: inMemoryGenericStorage(db),
      ids: realIds,
      clock: realClock,
      random: realRandom,
      telemetry: silentTelemetry,
    },
    {
      ...defaultVasgenSettings,
      clients: [client],
      shards: SHARDS,
      // A second passes before an engine that died is opened again.
      searcher: { epochsEveryMs: 100, retry: { firstMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 } },
    },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  const stop = new AbortController();
  const indexing = Array.from({ length: SHARDS }, (_, shard) =>
    vasgen.workers.indexShard(client, 'main')(
      { set: 'shards', shard, token: 1, isHeld: () => true },
      stop.signal,
      stop.signal,
    ),
  );
  const ended: Promise<void>[] = [];
  const searcher = vasgen.openSearcher({
    id: 'searcher',
    engines: {
      open: () =>
        openWorkerEngine({ dir, analyzer, snapshotChanges: 100 })
          .map((engine) => (ended.push(engine.ended), { engine, ended: engine.ended }))
          .mapErr((error) =>
            error.kind === 'FolderInUse' ? { kind: 'EngineInUse' as const, message: dir } : error,
          ),
    },
    blocked: { blocked: () => undefined, freed: () => undefined },
  });
  const searching = searcher.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await Promise.all([...indexing, searching]);
    await vasgen.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const receive = async (from: number, to: number): Promise<void> => {
    const documents = Array.from({ length: to - from }, (_, n) => document(from + n));
    const verdicts = (await vasgen.useCases.receiveDocuments(client, documents, 'main'))._unsafeUnwrap();
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  };
  const find = (words: string) => searcher.execute(client, { plan: '', text: { words }, page: { limit: 1 } });
  const untilFound = (count: number) =>
    eventually(async () => expect((await find('bicycle'))._unsafeUnwrap().total).toBe(count), {
      withinMs: 60_000,
    });
  return { searcher, receive, find, untilFound, ended };
};

test('[V9] queries are unavailable when the thread of the engine has died; it is opened again and catches up', async () => {
  const { searcher, receive, find, untilFound, ended } = await pipeline();
  await receive(0, 250);
  await untilFound(250);
  expect(searcher.missing()).toBeUndefined();

  expect((await find(DEADLY_WORD))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
  expect((await find('bicycle'))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
  await ended[0];
  await eventually(() => expect(searcher.missing()).toBe('the search engine is not open'), { everyMs: 1 });
  await receive(250, 300);

  // Until it has caught up it answers nothing: no query finds a part of the documents.
  for (let isBack = false; !isBack; await pause(5)) {
    const answer = await find('bicycle');
    if (answer.isErr()) expect(answer.error.kind).toBe('Unavailable');
    else {
      expect(answer.value.total).toBeGreaterThanOrEqual(250);
      isBack = true;
    }
  }
  await untilFound(300);
  expect(ended).toHaveLength(2);
  expect(searcher.missing()).toBeUndefined();
}, 120_000);

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentTelemetry, xxh64, type Clock } from '../../kernel/index.ts';
import { seededRandom } from '../../kernel/testing.ts';
import { compareFreshness, type Freshness } from '../document/freshness.ts';
import { indexRecordOf } from '../document/indexed-document.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { indexName, type IndexName } from '../engine/index-name.ts';
import { planBatch } from '../indexer/plan-batch.ts';
import { openVasgen } from '../open-vasgen.ts';
import { QUEUES } from '../queues/queue-element.ts';
import { placeOf } from '../document/raw-document.ts';
import type { Lane } from '../registry/registry-row.ts';
import { defaultVasgenSettings } from '../settings.ts';
import { makeExpireDocuments } from '../upkeep/expire-documents.use-case.ts';
import { openProcessRegistry } from '../registry/process-registry.store.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { inMemoryEngine, memoryEngineServer } from './in-memory-engine.ts';
import { inMemoryArchivePorts } from './in-memory-archive-ports.ts';
import { jsonVasgenCodecs } from './json-vasgen-codecs.ts';
import { plainAnalyzer } from './plain-analyzer.ts';
import { SAMPLE_SHARDS, sampleClient } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const RECEIVED_AT_MS = 10_000;
const CHECKED_AT_MS = 30_000;
const EPOCHS = [1, 2];
const client = sampleClient();

type Sent = { readonly document: RawDocument; readonly lane: Lane };
const place = fc.record({
  pk: fc.constantFrom('a', 'b', 'c'),
  epoch: fc.constantFrom(...EPOCHS),
  version: fc.nat({ max: 2 }),
  composedAtMs: fc.nat({ max: 2 }),
});
/** Event and end are made from the place: two documents of one place have one content. */
const documentAt = (at: {
  pk: string;
  epoch: number;
  version: number;
  composedAtMs: number;
}): RawDocument => {
  const dice = Number(xxh64(JSON.stringify(at)) % 8n);
  const event = dice === 0 ? 'delete' : dice === 1 ? 'erase' : 'upsert';
  const isUpsert = event === 'upsert';
  const ends: Readonly<Record<number, number>> = {
    2: RECEIVED_AT_MS,
    3: RECEIVED_AT_MS + 1,
    4: CHECKED_AT_MS + 1,
  };
  return {
    ...at,
    event,
    fields: isUpsert ? [{ name: `f${dice}`, kind: 'number', multiple: false, value: dice }] : [],
    embeddings: [],
    expiresAtMs: isUpsert ? ends[dice] : undefined,
    payload: undefined,
  };
};
const sent: fc.Arbitrary<Sent> = fc.record({
  document: place.map(documentAt),
  lane: fc.constantFrom<Lane>('main', 'bulk'),
});
const batches = fc.array(fc.array(sent, { minLength: 1, maxLength: 6 }), { maxLength: 6 });

/** What must be alive in an epoch: the greatest place of each key, unless it is a deletion or has run out. */
const expectedIn = (epoch: number, all: readonly Sent[]): readonly string[] => {
  const newest = new Map<string, RawDocument>();
  for (const { document } of all) {
    const known = newest.get(document.pk);
    if (document.epoch === epoch && (!known || compareFreshness(placeOf(document), placeOf(known)) > 0))
      newest.set(document.pk, document);
  }
  return [...newest.values()]
    .filter(({ event, expiresAtMs = Infinity }) => event === 'upsert' && expiresAtMs > CHECKED_AT_MS)
    .map((document) => `${document.pk} ${placeText(placeOf(document))}`)
    .toSorted();
};
const placeText = ({ epoch, version, timestampMs, kind }: Freshness): string =>
  `${epoch}/${version}/${timestampMs}/${kind}`;

const pipeline = (stores: VasgenStores, seed: number) => {
  let nowMs = RECEIVED_AT_MS;
  const clock: Clock = { nowMs: () => nowMs, after: (_ms, work) => (queueMicrotask(work), () => undefined) };
  const random = seededRandom(seed);
  const log = { promises: { fences: false } } as never;
  const settings = { ...defaultVasgenSettings, clients: [client], shards: SAMPLE_SHARDS, horizonMs: 1e9 };
  const vasgen = openVasgen(
    {
      ...inMemoryArchivePorts(),
      stores,
      codecs: jsonVasgenCodecs,
      log,
      clock,
      random,
      telemetry: silentTelemetry,
    },
    settings,
  );
  const engine = inMemoryEngine({ analyzer: plainAnalyzer, server: memoryEngineServer() });
  const indexes = new Map(EPOCHS.map((epoch): [number, IndexName] => [epoch, indexName(`things_${epoch}`)!]));

  const drainShard = async (queue: (typeof QUEUES)[number], shard: number): Promise<number> => {
    const reader = { client, queue, shard, group: 'indexer' };
    const from = (await stores.queues.offset(reader))._unsafeUnwrap();
    const elements = (await stores.queues.read(reader, from ?? 0, 3))._unsafeUnwrap();
    const plan = planBatch(elements, {
      queue,
      topicsOf: () => ['topic'],
      isLiving: () => true,
      documents: jsonVasgenCodecs.document,
      records: jsonVasgenCodecs.indexed,
      nowMs,
      attemptsMax: 5,
      retryDelayMs: () => 0,
    });
    for (const { value } of plan.records) {
      const { change } = indexRecordOf(jsonVasgenCodecs.indexed.decode(value)._unsafeUnwrap());
      const { epoch } = change.freshness;
      const schema = (await stores.epochs.load(client))
        ._unsafeUnwrap()
        .epochs.find((one) => one.epoch === epoch)!;
      (await engine.extend(indexes.get(epoch)!, schema.schema.fields))._unsafeUnwrap();
      const [verdict] = (await engine.apply(indexes.get(epoch)!, [change]))._unsafeUnwrap();
      expect(verdict?.kind).not.toBe('invalid');
    }
    if (plan.to !== undefined)
      (
        await stores.queues.advance(reader, { from, to: plan.to, failed: plan.failed, parked: [] })
      )._unsafeUnwrap();
    return elements.length;
  };
  return {
    prepare: async () => {
      for (const [epoch, name] of indexes) (await engine.create({ name, epoch, schema: {} }))._unsafeUnwrap();
    },
    receive: (lane: Lane, documents: readonly RawDocument[]) =>
      vasgen.useCases.receiveDocuments(client, documents, lane),
    /** Reads the queues until they are empty, in an order that the seed draws. */
    drain: async () => {
      for (let seen = 1; seen > 0;) {
        seen = 0;
        const turns = QUEUES.flatMap((queue) =>
          Array.from({ length: SAMPLE_SHARDS }, (_, shard) => ({ queue, shard })),
        );
        while (turns.length > 0) {
          const [{ queue, shard }] = turns.splice(random.below(turns.length), 1) as [(typeof turns)[number]];
          seen += await drainShard(queue, shard);
        }
      }
    },
    expire: async () => {
      nowMs = CHECKED_AT_MS;
      const process = openProcessRegistry(stores.registry, {
        clock,
        lingerMs: 0,
        writesMax: 100,
        waitingMax: 1_000,
      });
      const expire = makeExpireDocuments({ registry: stores.registry, process, clock });
      for (let shard = 0; shard < SAMPLE_SHARDS; shard++)
        while ((await expire(client, shard, 100))._unsafeUnwrap() > 0);
      await process.close();
    },
    alive: (epoch: number) =>
      engine
        .living(indexes.get(epoch)!)
        .map(({ pk, freshness }) => `${pk} ${placeText(freshness)}`)
        .toSorted(),
    close: () => vasgen.close(),
  };
};

/**
 * The law of indexing, on any stores: every order, repetition and split of documents' histories ends, in each living epoch, in the
 * greatest place of each document, and a document that has run out is gone.
 */
export const vasgenConvergenceContract = (
  name: string,
  harness: VasgenHarness,
  { runs }: { readonly runs: number },
): void => {
  describe(`${name}: convergence`, () => {
    test('[V2] [V5] [V7] every order and repetition of histories ends in the greatest place of each epoch', async () => {
      await fc.assert(
        fc.asyncProperty(batches, fc.integer(), async (drawn, seed) => {
          const opened = await openWithClient(harness);
          const { stores } = opened;
          const known = (await stores.epochs.load(client))._unsafeUnwrap();
          const states = [
            { epoch: 1, state: 'serving' as const },
            { epoch: 2, state: 'building' as const },
          ];
          (await stores.epochs.change(client, known.version, states))._unsafeUnwrap();
          const line = pipeline(stores, seed);
          await line.prepare();
          const verdicts = new Set<string>();
          for (const batch of drawn) {
            const lane = batch[0]!.lane;
            const documents = batch.map(({ document }) => document);
            for (const verdict of (await line.receive(lane, documents))._unsafeUnwrap())
              verdicts.add(verdict.kind);
            if (seed % 2 === 0) await line.drain();
          }
          await line.drain();
          await line.expire();
          await line.drain();
          for (const refused of ['invalid', 'too_old', 'unknown_epoch', 'unavailable'])
            expect(verdicts.has(refused)).toBe(false);
          for (const epoch of EPOCHS) expect(line.alive(epoch)).toEqual(expectedIn(epoch, drawn.flat()));
          await line.close();
          await opened.close();
        }),
        { numRuns: runs },
      );
    }, 120_000);
  });
};

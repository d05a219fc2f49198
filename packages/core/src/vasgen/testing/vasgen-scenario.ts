import { okAsync } from 'neverthrow';
import { silentTelemetry, sleep, type HeldLease, type MessageLog } from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import { indexTopic } from '../document/indexed-document.ts';
import type { EpochCommand } from '../epochs/epoch-transitions.ts';
import { openVasgen, type Vasgen } from '../open-vasgen.ts';
import { defaultVasgenSettings, type VasgenSettings } from '../settings.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { sampleClient } from './document-samples.ts';
import { inMemoryEngine, memoryEngineServer, type InMemoryEngine } from './in-memory-engine.ts';
import { inMemoryVasgenStores } from './in-memory-vasgen.ts';
import { jsonVasgenCodecs } from './json-vasgen-codecs.ts';
import { plainAnalyzer } from './plain-analyzer.ts';
import { sendDocuments, type Sender } from './simulated-senders.ts';
import { isQuiet, vasgenLaws } from './vasgen-laws.ts';

const client = sampleClient();
const SHARDS = 2;
const GROUP = 'vasgen-archive';
const retry = { firstMs: 20, factor: 2, maxMs: 200, jitter: 0 };
const settings: VasgenSettings = {
  ...defaultVasgenSettings,
  clients: [client],
  shards: SHARDS,
  horizonMs: 1e9,
  epochsKeptMs: 100,
  commit: { lingerMs: 0, writesMax: 10, waitingMax: 100 },
  retry: { ...retry, attemptsMax: 3 },
  indexer: {
    ...defaultVasgenSettings.indexer,
    batch: 2,
    idleMs: 200,
    rates: { main: undefined, bulk: undefined, emergency: undefined, failed: undefined },
    retry,
  },
  searcher: { epochsEveryMs: 200, retry },
  upkeep: { ...defaultVasgenSettings.upkeep, everyMs: 300, slice: 3, elementsKeptMs: 0 },
  archive: {
    ...defaultVasgenSettings.archive,
    segmentRecords: 3,
    lingerMs: 100,
    retryMs: 100,
    scrubEveryMs: 400,
    graceMs: 500,
  },
};

/** A worker that believes it holds the shard, whatever is true. */
const heldLease = (shard: number, token: number): HeldLease => ({
  set: 'shards',
  shard,
  token,
  isHeld: () => true,
});

export type VasgenScenarioOptions = {
  readonly mode: 'plain' | 'constrained';
  /** Planted bugs. */
  readonly storesOf?: (right: VasgenStores) => VasgenStores;
  readonly logOf?: (right: MessageLog) => MessageLog;
};
/** Two receivers, two indexers on the same shards, two searchers, upkeep, archive and an epoch change. */
export const vasgenScenario = ({
  mode,
  storesOf = (right) => right,
  logOf = (right) => right,
}: VasgenScenarioOptions): Scenario => ({
  faults: FAULTS,
  wildSteps: 400,
  calmSteps: 20_000,
  build: (world) => {
    const { nowMs } = world;
    const db = memoryDatabase({ nowMs, mode });
    const server = memoryLogServer(nowMs);
    const blobs = blobServer();
    const topic = indexTopic(client);
    server.topics.set(topic, {
      info: {
        name: topic,
        partitions: 1,
        retentionMs: 1e9,
        recordBytesMax: 1e6,
        log: 'memory:1',
        times: 'log',
      },
      partitions: [{ records: [], base: 0 }],
    });
    const logOn = ({ io, clock, ids, random }: Env): MessageLog =>
      logOf(
        inMemoryMessageLog({
          server,
          io,
          clock,
          ids,
          random,
          // A log without fences: two indexers may both publish.
          mode: mode === 'plain' ? 'full' : 'minimal',
          leaseTimes: { leaseMs: 900, beatMs: 300, drainMs: 300 },
        }),
      );
    const vasgenOn = async (env: Env): Promise<Vasgen> => {
      const vasgen = openVasgen(
        {
          stores: storesOf(inMemoryVasgenStores(db, env.io)),
          codecs: jsonVasgenCodecs,
          log: logOn(env),
          blobs: inMemoryBlobStore(blobs, env.io),
          storage: inMemoryGenericStorage(db, env.io),
          ids: env.ids,
          clock: env.clock,
          random: env.random,
          telemetry: silentTelemetry,
        },
        settings,
      );
      while ((await vasgen.prepare()).isErr()) await sleep(env.clock, 50);
      return vasgen;
    };

    const senders = [0, 1].map((): Sender => ({
      plan: Array.from({ length: 1 + world.below(5) }, () => world.below(1_000)),
      done: 0,
      acknowledged: [],
    }));
    for (const [n, sender] of senders.entries())
      world.process(
        `receiver-${n}`,
        async (env) => sendDocuments(sender, await vasgenOn(env), env, { client, spread: n }),
        { skewMs: n * 300 },
      );
    let token = 0;
    const never = new AbortController().signal;
    for (const n of [0, 1])
      world.process(`indexer-${n}`, async (env) => {
        const { workers } = await vasgenOn(env);
        await Promise.all(
          (['main', 'bulk'] as const).flatMap((queue) =>
            Array.from({ length: SHARDS }, (_, shard) =>
              workers.indexShard(client, queue)(heldLease(shard, ++token), never, never),
            ),
          ),
        );
      });
    const engines = new Map<string, InMemoryEngine>();
    for (const n of [0, 1]) {
      const folder = memoryEngineServer();
      world.process(`searcher-${n}`, async (env) => {
        const vasgen = await vasgenOn(env);
        const engine = inMemoryEngine({
          analyzer: plainAnalyzer,
          server: folder,
          io: env.io,
          snapshotChanges: 3,
        });
        engines.set(`searcher-${n}`, engine);
        const searcher = vasgen.openSearcher({
          id: `searcher-${n}`,
          engines: { open: () => okAsync({ engine, ended: new Promise<void>(() => undefined) }) },
          blocked: { blocked: () => undefined, freed: () => undefined },
        });
        await searcher.run(never);
      });
    }
    world.process('upkeep', async (env) => {
      const { workers } = await vasgenOn(env);
      const work = workers.upkeepShard(client);
      await Promise.all(
        Array.from({ length: SHARDS }, (_, shard) => work(heldLease(shard, 1), never, never)),
      );
    });
    world.process('archive', async (env) => {
      const { workers } = await vasgenOn(env);
      const subscription = logOn(env).subscribe({
        group: GROUP,
        topic,
        handler: workers.archiveTopic(client),
        batchRecordsMax: 3,
      });
      await subscription.ended;
    });
    const commands: EpochCommand[] = world.below(2) === 0 ? [] : ['create', 'promote', 'rollback'];
    world.process('operator', async (env) => {
      const { useCases } = await vasgenOn(env);
      while (commands.length > 0) {
        const changed = await useCases.epochs.change(client, commands[0]!, { isForced: true });
        // After a lost answer the change may have been made: then the next look refuses it.
        if (changed.isOk() || changed.error.kind === 'EpochRefused') commands.shift();
        await sleep(env.clock, 300);
      }
    });

    const state = { db, log: server, topic, client, senders, engines };
    const law = vasgenLaws(state);
    return {
      law,
      done: () =>
        commands.length === 0 &&
        senders.every(({ plan, done }) => done >= plan.length) &&
        isQuiet(state, { shards: SHARDS, group: settings.indexer.group, nowMs: nowMs() }),
    };
  },
});

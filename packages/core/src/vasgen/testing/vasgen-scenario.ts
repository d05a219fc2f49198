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
  type Io,
  type MemoryDatabase,
  type Scenario,
  type World,
} from '../../kernel/testing.ts';
import { indexTopic } from '../document/indexed-document.ts';
import type { EpochCommand } from '../epochs/epoch-transitions.ts';
import { QUEUES } from '../queues/queue-element.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import { openVasgen, type Vasgen } from '../open-vasgen.ts';
import { defaultVasgenSettings, type VasgenSettings } from '../settings.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { sampleClient } from './document-samples.ts';
import type { InMemoryEngine } from './in-memory-engine.ts';
import { inMemoryVasgenStores } from './in-memory-vasgen.ts';
import { jsonVasgenCodecs } from './json-vasgen-codecs.ts';
import { failingCodecs, letAMonthPass, operate, waitUntil } from './simulated-operations.ts';
import { simulatedSearcher } from './simulated-searcher.ts';
import { sendDocuments, type Sender } from './simulated-senders.ts';
import { isQuiet, liveIsVisible, vasgenLaws, type QuietWhen, type VasgenState } from './vasgen-laws.ts';

const client = sampleClient();
export const SHARDS = 2;
const GROUP = 'vasgen-archive';
const WILD_STEPS = 400;
/** How far the clocks of all processes are ahead if documents are composed long ago. */
const LONG_MS = 1e8;
/** Documents are composed about one second after the world begins. They are taken until they are two seconds old. */
const LONG_HORIZON_MS = LONG_MS + 1_000;
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
    idleMs: 500,
    rates: { main: undefined, bulk: undefined, emergency: undefined, failed: undefined },
    attemptsMax: 3,
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
  /** `bulk` is not worked on before every live document is visible. */
  readonly bulkWaits?: boolean;
  /** A searcher stops, and comes back when topic and registry have forgotten what happened meanwhile. */
  readonly isAwayForAMonth?: boolean;
  /** What is sent was composed as long ago as deletions are remembered. */
  readonly composedLongAgo?: boolean;
  /** Planted bugs. */
  readonly ioOf?: (right: Io, db: MemoryDatabase) => Io;
  readonly engineOf?: (right: SearchEngine) => SearchEngine;
  readonly storesOf?: (right: VasgenStores) => VasgenStores;
  readonly logOf?: (right: MessageLog) => MessageLog;
};

/** Two receivers, two indexers on the same shards, two searchers, upkeep, archive and an epoch change. */
export const vasgenScenario = ({
  mode,
  bulkWaits = false,
  isAwayForAMonth = false,
  composedLongAgo = false,
  ioOf = (right) => right,
  engineOf = (right) => right,
  storesOf = (right) => right,
  logOf = (right) => right,
}: VasgenScenarioOptions): Scenario => ({
  faults: FAULTS,
  wildSteps: WILD_STEPS,
  calmSteps: 20_000,
  build: (world) => {
    const { nowMs } = world;
    const aheadMs = composedLongAgo ? LONG_MS : 0;
    const horizonMs = composedLongAgo ? LONG_HORIZON_MS : settings.horizonMs;
    const start: World['process'] = (name, main, { skewMs = 0 } = {}) =>
      world.process(name, main, { skewMs: aheadMs + skewMs });
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
    const vasgenOn = async (env: Env, codecs = jsonVasgenCodecs): Promise<Vasgen> => {
      const vasgen = openVasgen(
        {
          stores: storesOf(inMemoryVasgenStores(db, ioOf(env.io, db))),
          codecs,
          log: logOn(env),
          blobs: inMemoryBlobStore(blobs, env.io),
          storage: inMemoryGenericStorage(db, env.io),
          ids: env.ids,
          clock: env.clock,
          random: env.random,
          telemetry: silentTelemetry,
        },
        { ...settings, horizonMs },
      );
      while ((await vasgen.prepare()).isErr()) await sleep(env.clock, 50);
      return vasgen;
    };

    const senders = [0, 1].map((): Sender => ({
      plan: Array.from({ length: 1 + world.below(5) }, () => world.below(1_000)),
      done: 0,
      sent: new Set(),
      acknowledged: [],
    }));
    for (const [n, sender] of senders.entries())
      start(
        `receiver-${n}`,
        async (env) => sendDocuments(sender, await vasgenOn(env), env, { client, spread: n }),
        { skewMs: n * 300 },
      );
    const engines = new Map<string, InMemoryEngine>();
    let doesMonthPass = false;
    const state: VasgenState = {
      db,
      log: server,
      topic,
      client,
      senders,
      engines,
      forgetBeforeMs: () => (doesMonthPass ? Infinity : nowMs() + aheadMs - horizonMs),
    };
    const law = vasgenLaws(state);
    const isSent = (): boolean => senders.every(({ plan, done }) => done >= plan.length);
    const quietWith = (searchers: number): QuietWhen => ({
      shards: SHARDS,
      group: settings.indexer.group,
      searchers,
      nowMs: nowMs() + aheadMs,
    });
    let token = 0;
    let bulkStarts = !bulkWaits;
    const never = new AbortController().signal;
    // Documents of one key can't be converted at first: they go through `failed`, or are parked.
    const readableAtMs = [0, 500, 3_000][world.below(3)]!;
    for (const n of [0, 1])
      start(`indexer-${n}`, async (env) => {
        const { workers } = await vasgenOn(env, failingCodecs(jsonVasgenCodecs, 'a', readableAtMs, nowMs));
        await Promise.all(
          QUEUES.flatMap((queue) =>
            Array.from({ length: SHARDS }, async (_, shard) => {
              if (queue === 'bulk') await waitUntil(() => bulkStarts, env);
              await workers.indexShard(client, queue)(heldLease(shard, ++token), never, never);
            }),
          ),
        );
      });
    let isMonthOver = false;
    for (const n of [0, 1]) {
      const name = `searcher-${n}`;
      const away =
        n === 1 && isAwayForAMonth
          ? { fromMs: 20 + 60 * world.below(8), isOver: (): boolean => isMonthOver }
          : undefined;
      start(name, simulatedSearcher({ name, engines, engineOf, open: vasgenOn, nowMs, away }));
    }
    // The wild steps are over when it begins, so that no request of before is still on its way.
    let steps = 0;
    if (isAwayForAMonth)
      start('calendar', async (env) => {
        await waitUntil(() => steps > WILD_STEPS && isSent() && isQuiet(state, quietWith(1)), env);
        doesMonthPass = true;
        await letAMonthPass(
          { log: server, topic, shards: SHARDS, client },
          inMemoryVasgenStores(db, env.io).registry,
          env,
        );
        isMonthOver = true;
      });
    start('upkeep', async (env) => {
      const { workers } = await vasgenOn(env);
      const work = workers.upkeepShard(client);
      await Promise.all(
        Array.from({ length: SHARDS }, (_, shard) => work(heldLease(shard, 1), never, never)),
      );
    });
    start('archive', async (env) => {
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
    start('operator', async (env) => operate(commands, await vasgenOn(env), env, client));

    return {
      law: () => {
        steps++;
        bulkStarts ||= isSent() && liveIsVisible(state, quietWith(2));
        return law();
      },
      done: () =>
        commands.length === 0 &&
        isSent() &&
        (isMonthOver || !isAwayForAMonth) &&
        isQuiet(state, quietWith(2)),
    };
  },
});

import { defaultGostSettings } from '../settings.ts';
import {
  makeShardLeases,
  silentTelemetry,
  sleep,
  type GenericStorage,
  type LogPublisher,
} from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  inMemoryLeaseStore,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import type { SellerId } from '../offer/offer.ts';
import { PHOTO_REQUESTS } from '../../photos/index.ts';
import { FEED_PHOTO_ERRORS, FEED_RESULTS, OFFER_UPDATES } from '../export/export-queue.port.ts';
import { makeExportBell } from '../export/export-bell.ts';
import { makeExportShard } from '../export/export-shard.worker.ts';
import { openTestGost, type TestGost } from './open-test-gost.ts';
import { archivedIn, archiveIsQuiet } from './archive-laws.ts';
import { archiveForever, sweepForever } from './archive-processes.ts';
import { gostLaws, offersIn, queueIsEmpty } from './gost-laws.ts';
import { inMemoryGostStores, type GostStores } from './gost-stores.ts';
import { erasureLaw, stageLaw } from './erasure-laws.ts';
import { CLIENT_COMMANDS, live, type Client } from './simulated-clients.ts';
import { feederOf, feedOn } from './simulated-feeders.ts';
import { eraseOn, stageOn, type Eraser, type Stager } from './simulated-operators.ts';
import type { EraseTraces } from '../erasure/erase-traces.use-case.ts';

const TOPICS = [OFFER_UPDATES, FEED_RESULTS, PHOTO_REQUESTS, FEED_PHOTO_ERRORS];
const SHARDS = 1;
/** Offers leave for the archive soon after they have ended, two at a time. */
const ARCHIVE = { afterUs: 400_000, batch: 2, segmentBytes: 1e6 };
const retry = { firstMs: 20, factor: 2, maxMs: 200, jitter: 0, attemptsMax: 4 };

export type GostScenarioOptions = {
  readonly mode: 'plain' | 'constrained';
  /** Without feeds, an archive, or stages and operators the world is smaller, and what is sought in it is found sooner. */
  readonly feeds?: boolean;
  readonly archive?: boolean;
  readonly operators?: boolean;
  /** Planted bugs. */
  readonly storesOf?: (right: GostStores) => GostStores;
  readonly logOf?: (right: LogPublisher) => LogPublisher;
  readonly tracesOf?: (right: EraseTraces) => EraseTraces;
  /** What stages keep their state in; it may reach the stores too. */
  readonly stagesOf?: (right: GenericStorage, stores: GostStores) => GenericStorage;
};
/** Sellers, feeds, stages, operators, time, the archive and two exporters over one store, with everything that can go wrong. */
export const gostScenario = ({
  mode,
  feeds = true,
  archive = true,
  operators = true,
  storesOf = (right) => right,
  logOf = (right) => right,
  tracesOf = (right) => right,
  stagesOf = (right) => right,
}: GostScenarioOptions): Scenario => ({
  faults: FAULTS,
  wildSteps: 300,
  calmSteps: 20_000,
  build: (world) => {
    const { nowMs } = world;
    const db = memoryDatabase({ nowMs, mode });
    const leases = memoryDatabase({ nowMs });
    const server = memoryLogServer(nowMs);
    const blobs = blobServer();
    for (const name of TOPICS)
      server.topics.set(name, {
        info: { name, partitions: 1, retentionMs: 1e9, recordBytesMax: 1e6, log: 'memory:1', times: 'log' },
        partitions: [{ records: [], base: 0 }],
      });
    const clients = [0, 1].map((n): Client => ({
      seller: `s${n}` as SellerId,
      plan: Array.from({ length: 1 + world.below(6) }, () => world.below(CLIENT_COMMANDS.length)),
      done: 0,
    }));
    const gostOf = (env: Env): TestGost =>
      openTestGost({
        stores: storesOf(inMemoryGostStores(db, env.io)),
        clock: env.clock,
        newName: () => env.ids.next(),
        blobs: inMemoryBlobStore(blobs, env.io),
        // Ids are unique and worth no branch: chance comes from the ids, not from the tape.
        random: { below: (n) => Number(BigInt.asUintN(32, BigInt(hash(env.ids.next()))) % BigInt(n)) },
        settings: {
          shards: SHARDS,
          lifetimeUs: 600_000,
          archive: { ...defaultGostSettings.archive, ...ARCHIVE },
          retry,
        },
      });
    for (const client of clients)
      world.process(client.seller, (env) => live(client, gostOf(env), env), {
        skewMs: client.seller === 's1' ? -400 : 0,
      });
    const feeders = (feeds ? ['a', 'b'] : []).map((namespace) => feederOf(namespace, (n) => world.below(n)));
    for (const feeder of feeders)
      world.process(`feed-${feeder.feed.namespace}`, (env) => feedOn(feeder, gostOf(env), env));
    // Two of them race for the first client's offer.
    const stagers = (operators ? [clients[0]!, ...clients] : []).map((client): Stager => ({
      client,
      puts: 1 + world.below(3),
      answered: undefined,
      done: 0,
    }));
    const reachOf = (env: Env) => ({
      env,
      stores: storesOf(inMemoryGostStores(db, env.io)),
      storage: inMemoryGenericStorage(db, env.io),
      blobs: inMemoryBlobStore(blobs, env.io),
    });
    for (const [index, stager] of stagers.entries())
      world.process(`stage${index}`, (env) => {
        const reach = reachOf(env);
        const prompt = inMemoryGenericStorage(db);
        return stageOn(stager, { ...reach, prompt, storage: stagesOf(reach.storage, reach.stores) });
      });
    const eraser: Eraser = {
      seller: 's1' as SellerId,
      begins: () =>
        clients[1]!.done === clients[1]!.plan.length && stagers.at(-1)!.done === stagers.at(-1)!.puts,
      complete: !operators,
    };
    if (operators)
      world.process('eraser', (env) =>
        eraseOn(eraser, reachOf(env), { gost: gostOf(env), tracesOf, shards: SHARDS }),
      );
    world.process('time', async (env) => {
      const gost = gostOf(env);
      for (;;) {
        await gost.expireDue(0, 10);
        await sleep(env.clock, 250);
      }
    });
    for (const name of archive ? ['archive0', 'archive1'] : [])
      world.process(name, (env) => archiveForever(gostOf(env), env));
    if (archive)
      world.process('sweep', (env) =>
        sweepForever(storesOf(inMemoryGostStores(db, env.io)), { db, blobs }, env),
      );
    for (const name of ['exporter0', 'exporter1'])
      world.process(name, async (env) => {
        const log = logOf(inMemoryMessageLog({ ...env, server }));
        const { queue } = storesOf(inMemoryGostStores(db, env.io));
        const holding = makeShardLeases({
          store: inMemoryLeaseStore(leases, env.io),
          clock: env.clock,
          ids: env.ids,
          times: { leaseMs: 700, beatMs: 200, drainMs: 300 },
        }).hold({
          set: 'gost-export',
          shards: SHARDS,
          work: makeExportShard({
            queue,
            bell: makeExportBell(),
            log,
            clock: env.clock,
            random: env.random,
            telemetry: silentTelemetry,
            settings: {
              ...defaultGostSettings.export,
              batch: 3,
              idleMs: 60,
              retry: { ...retry, attemptsMax: 100 },
            },
          }),
        });
        await holding.ended;
      });
    const laws = gostLaws(db, server, blobs);
    let seen = '';
    const later = (): string | undefined => {
      const now = `${db.commits.length} ${eraser.complete}`;
      if (!operators || now === seen) return undefined;
      seen = now;
      const all = { db, server, blobs };
      return erasureLaw(eraser, all) ?? stageLaw(stagers, eraser, all);
    };
    return {
      law: () => {
        const archived = archivedIn(db, blobs).map(({ offer }) => offer);
        const offers = [...offersIn(db), ...archived].filter(({ seller }) => seller !== 'f');
        if (offers.length > clients.length) return `two offers of one draft: ${offers.length}`;
        return laws() ?? later();
      },
      done: () =>
        clients.every(({ done, plan }) => done === plan.length) &&
        feeders.every(({ done, messages }) => done === messages.length) &&
        stagers.every(({ done, puts }) => done === puts) &&
        eraser.complete &&
        queueIsEmpty(db) &&
        (!archive || archiveIsQuiet(db, blobs)),
    };
  },
});
const hash = (text: string): number =>
  [...text].reduce((sum, symbol) => (Math.imul(sum, 31) + symbol.charCodeAt(0)) | 0, 7);

import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import {
  makeShardLeases,
  silentTelemetry,
  sleep,
  type BlobHash,
  type GenericStorage,
  type LogPublisher,
} from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  hunt,
  inMemoryBlobStore,
  inMemoryGenericStorage,
  inMemoryLeaseStore,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  PORTFOLIO,
  simulationTest,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import type { SellerId } from '../domain/offer.ts';
import { PHOTO_REQUESTS } from '../../photos/index.ts';
import { FEED_PHOTO_ERRORS, FEED_RESULTS, OFFER_UPDATES } from '../ports/export-queue.port.ts';
import { makeExportShard } from '../use-cases/export-shard.ts';
import { gostDesk, type GostDesk } from './gost-desk.ts';
import { archivedIn, archiveIsQuiet } from './archive-laws.ts';
import { archiveForever, sweepForever } from './archive-processes.ts';
import { gostLaws, offersIn, queueIsEmpty } from './gost-laws.ts';
import { inMemoryGostStores, type GostStores } from './gost-stores.ts';
import { erasureLaw, stageLaw } from './erasure-laws.ts';
import { CLIENT_COMMANDS, live, type Client } from './simulated-clients.ts';
import { feederOf, feedOn } from './simulated-feeders.ts';
import { eraseOn, stageOn, type Eraser, type Stager } from './simulated-operators.ts';
import type { EraseTraces } from '../use-cases/erase-traces.ts';

const TOPICS = [OFFER_UPDATES, FEED_RESULTS, PHOTO_REQUESTS, FEED_PHOTO_ERRORS];
const SHARDS = 1;
/** Offers leave for the archive soon after they have ended, two at a time. */
const ARCHIVE = { afterUs: 400_000, batch: 2, segmentBytes: 1e6 };
const retry = { firstMs: 20, factor: 2, maxMs: 200, jitter: 0, attemptsMax: 4 };

type Options = {
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
const gostScenario = ({
  mode,
  feeds = true,
  archive = true,
  operators = true,
  storesOf = (right) => right,
  logOf = (right) => right,
  tracesOf = (right) => right,
  stagesOf = (right) => right,
}: Options): Scenario => ({
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
        info: { name, partitions: 1, retentionMs: 1e9, recordBytesMax: 1e6, log: 'memory:1' },
        partitions: [{ records: [], base: 0 }],
      });
    const clients = [0, 1].map((n): Client => ({
      seller: `s${n}` as SellerId,
      plan: Array.from({ length: 1 + world.below(6) }, () => world.below(CLIENT_COMMANDS.length)),
      done: 0,
    }));
    const deskOf = (env: Env): GostDesk =>
      gostDesk({
        ...{
          stores: storesOf(inMemoryGostStores(db, env.io)),
          clock: env.clock,
          newName: () => env.ids.next(),
          blobs: inMemoryBlobStore(blobs, env.io),
        },
        // Ids are unique and worth no branch: chance comes from the ids, not from the tape.
        random: { below: (n) => Number(BigInt.asUintN(32, BigInt(hash(env.ids.next()))) % BigInt(n)) },
        settings: { shards: SHARDS, lifetimeUs: 600_000, archive: ARCHIVE, retry },
      });
    for (const client of clients)
      world.process(client.seller, (env) => live(client, deskOf(env), env), {
        skewMs: client.seller === 's1' ? -400 : 0,
      });
    const feeders = (feeds ? ['a', 'b'] : []).map((namespace) => feederOf(namespace, (n) => world.below(n)));
    for (const feeder of feeders)
      world.process(`feed-${feeder.feed.namespace}`, (env) => feedOn(feeder, deskOf(env), env));
    // Two of them race for the first client's offer.
    const stagers = (operators ? [clients[0]!, ...clients] : []).map((client): Stager => ({
      ...{ client, puts: 1 + world.below(3), answered: undefined, done: 0 },
    }));
    const reachOf = (env: Env) => ({
      ...{ env, stores: storesOf(inMemoryGostStores(db, env.io)) },
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
        eraseOn(eraser, reachOf(env), { desk: deskOf(env), tracesOf, shards: SHARDS }),
      );
    world.process('time', async (env) => {
      const desk = deskOf(env);
      for (;;) {
        await desk.expireDue(0, 10);
        await sleep(env.clock, 250);
      }
    });
    for (const name of archive ? ['archive0', 'archive1'] : [])
      world.process(name, (env) => archiveForever(deskOf(env), env));
    if (archive)
      world.process('sweep', (env) =>
        sweepForever(storesOf(inMemoryGostStores(db, env.io)), { db, blobs }, env),
      );
    for (const name of ['exporter0', 'exporter1'])
      world.process(name, async (env) => {
        const log = logOf(inMemoryMessageLog({ ...env, server }));
        const { queue } = storesOf(inMemoryGostStores(db, env.io));
        const holding = makeShardLeases({
          ...{ store: inMemoryLeaseStore(leases, env.io), clock: env.clock, ids: env.ids },
          times: { leaseMs: 700, beatMs: 200, drainMs: 300 },
        }).hold({
          ...{ set: 'gost-export', shards: SHARDS },
          work: makeExportShard({
            ...{ queue, log, clock: env.clock, random: env.random, logger: silentTelemetry.logger },
            settings: { batch: 3, idleMs: 60, retry: { ...retry, attemptsMax: 100 } },
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

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[G1] [G2] [G5] [G6] [G7] [G8] [G9] [G10] [G11] [G16] [G17] random histories, ${mode}: lists, counts, totals, topics, answers and the archive are what was decided`,
    gostScenario({ mode }),
    { seeds: 150, budgetMs: 3_500 },
  );

test.each<{ readonly bug: string; readonly options: Options; readonly law: RegExp }>([
  {
    bug: 'a zombie exporter that no fence stops',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false, operators: false },
      logOf: (log) => ({ ...log, publish: (records) => log.publish(records) }),
    },
    law: /^order/,
  },
  {
    bug: 'a delete of everything up to the last key read',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false, operators: false },
      storesOf: (stores) => ({
        ...stores,
        queue: {
          ...stores.queue,
          delete: (keys) =>
            stores.queue
              .read(0, 100)
              .andThen((rows) => stores.queue.delete(rows.filter(({ atUs }) => atUs <= keys.at(-1)!.atUs))),
        },
      }),
    },
    law: /^lost/,
  },
  {
    bug: 'a batch of a feed whose answer is not part of its commit',
    options: {
      mode: 'plain',
      archive: false,
      storesOf: (stores) => ({
        ...stores,
        offers: {
          ...stores.offers,
          commit: (units) =>
            stores.offers
              .commit(units.map(({ outbox: _outbox, ...unit }) => unit))
              .andThrough(() =>
                stores.offers.commit(units.map(({ outbox = [] }) => ({ changes: [], outbox }))),
              ),
        },
      }),
    },
    law: /^feeds/,
  },
  {
    bug: 'an offer that leaves and forgets a line of its lists',
    options: {
      mode: 'plain',
      ...{ feeds: false, operators: false },
      storesOf: (stores) => ({
        ...stores,
        archive: {
          ...stores.archive,
          move: (moves) =>
            stores.archive.move(moves.map((move) => ({ ...move, presets: move.presets.slice(1) }))),
        },
      }),
    },
    law: /^lists/,
  },
  {
    bug: 'segments that are deleted without being condemned',
    options: {
      mode: 'plain',
      ...{ feeds: false, operators: false },
      storesOf: (stores) => {
        const doomed: BlobHash[] = [];
        return {
          ...stores,
          archive: {
            ...stores.archive,
            condemn: (segment) => {
              doomed.push(segment);
              return okAsync(true);
            },
            condemned: () => okAsync(doomed.splice(0)),
            deleted: () => okAsync(undefined),
          },
        };
      },
    },
    law: /^archive/,
  },
  {
    bug: 'an erasure that leaves the history as it is',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false },
      tracesOf: (traces) => ({ ...traces, history: () => okAsync(0) }),
    },
    law: /^words: .* in gost_history/,
  },
  {
    bug: 'an erasure that forgets the stages',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false },
      tracesOf: (traces) => ({ ...traces, stages: () => okAsync(undefined) }),
    },
    law: /^words: .* in storage/,
  },
  {
    bug: 'an erasure that forgets the draft',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false },
      tracesOf: (traces) => ({ ...traces, draft: () => okAsync(undefined) }),
    },
    law: /^words: .* in gost_current_draft/,
  },
  {
    bug: 'a stage that tells of what it keeps',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false },
      stagesOf: (storage, stores) => ({
        ...storage,
        put: (space, key, value, expected) =>
          storage.put(space, key, value, expected).andThrough(() => {
            const record = { shard: 0, topic: OFFER_UPDATES, key: key.split('/')[0]!, id: 'stage' };
            const view = new TextEncoder().encode('{"version":1}');
            return stores.offers
              .commit([{ changes: [], outbox: [{ ...record, atUs: 1, value: view }] }])
              .map(() => undefined);
          }),
      }),
    },
    law: /^(echo|order)/,
  },
  {
    bug: 'a stage that puts without compare',
    options: {
      ...{ mode: 'plain', feeds: false, archive: false },
      stagesOf: (storage) => ({
        ...storage,
        put: (space, key, value) =>
          storage.get(space, [key]).andThen(([found]) => storage.put(space, key, value, found?.version ?? 0)),
      }),
    },
    law: /^stage/,
  },
])('[B5] [G5] the laws find $bug', async ({ options, law }) => {
  const { found } = await hunt(gostScenario(options), PORTFOLIO, { count: 400, budgetMs: 12_000 });
  expect(found?.outcome.failure).toMatch(law);
});

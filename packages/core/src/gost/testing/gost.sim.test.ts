import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import {
  makeShardLeases,
  silentTelemetry,
  sleep,
  type BlobHash,
  type LogPublisher,
} from '../../kernel/index.ts';
import {
  blobServer,
  FAULTS,
  hunt,
  inMemoryBlobStore,
  inMemoryLeaseStore,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  PORTFOLIO,
  simulationTest,
  type Env,
  type Scenario,
} from '../../kernel/testing.ts';
import type { ChangeCommand } from '../domain/command.ts';
import type { DraftId } from '../domain/draft.ts';
import type { SellerId } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { FeedKey } from '../domain/feed.ts';
import type { FeedEntry, FeedMessage } from '../domain/feed-message.ts';
import { PHOTO_REQUESTS } from '../../photos/index.ts';
import { FEED_PHOTO_ERRORS, FEED_RESULTS, OFFER_UPDATES } from '../ports/export-queue.port.ts';
import { feedEntry, feedTerminal } from './feed-samples.ts';
import { makeExportShard } from '../use-cases/export-shard.ts';
import { gostDesk, type GostDesk } from './gost-desk.ts';
import { archivedIn, archiveIsQuiet } from './archive-laws.ts';
import { archiveForever, sweepForever } from './archive-processes.ts';
import { gostLaws, offersIn, queueIsEmpty } from './gost-laws.ts';
import { inMemoryGostStores, type GostStores } from './gost-stores.ts';
import { commandId, sampleContent } from './samples.ts';

const TOPICS = [OFFER_UPDATES, FEED_RESULTS, PHOTO_REQUESTS, FEED_PHOTO_ERRORS];
const SHARDS = 1;
/** Offers leave for the archive soon after they have ended, two at a time. */
const ARCHIVE = { afterUs: 400_000, batch: 2, segmentBytes: 1e6 };
const retry = { firstMs: 20, factor: 2, maxMs: 200, jitter: 0, attemptsMax: 4 };
const KINDS = ['edit', 'hide', 'activate', 'sell', 'ban', 'unban', 'prolong', 'remove', 'photos'] as const;
const PHOTO = 'https://photos.test/1.jpg';

/** What somebody outside remembers, whatever happens to the process that serves him. */
type Client = {
  readonly seller: SellerId;
  readonly plan: readonly number[];
  draftId?: DraftId;
  offerId?: OfferId;
  done: number;
};

const commandOf = ({ seller, plan }: Client, n: number): ChangeCommand => {
  const kind = KINDS[plan[n]!]!;
  const base = { id: commandId(`${seller}/${n}`), by: 'seller' } as const;
  switch (kind) {
    case 'edit':
      return {
        ...base,
        kind,
        content: sampleContent({
          title: `edit ${n}`,
          price: n % 2 ? undefined : { minorUnits: n, currency: 'RUB' },
          photos: n % 3 ? [] : [PHOTO],
        }),
      };
    case 'photos':
      return { ...base, kind, photos: [{ url: PHOTO, outcome: { kind: 'failed', reason: `r${n}` } }] };
    case 'sell':
      return { ...base, kind, onPlatform: n % 3 !== 0 };
    case 'ban':
      return { ...base, kind, editable: n % 2 === 0, reasons: ['r'], opinionVersion: n + 1 };
    case 'unban':
      return { ...base, kind, opinionVersion: n + 1 };
    case 'hide':
    case 'activate':
    case 'prolong':
    case 'remove':
      return { ...base, kind };
  }
};
/** Patient: what has no known outcome is asked again, under the same name. */
const publish = async (client: Client, desk: GostDesk, env: Env): Promise<void> => {
  const { category, ...content } = sampleContent();
  while (client.offerId === undefined) {
    if (client.draftId === undefined) {
      const draft = await desk.currentDraft({ userId: client.seller });
      const { id: draftId } = draft.unwrapOr({ id: undefined });
      const owner = { kind: 'user', id: client.seller } as const;
      const saved = draftId && (await desk.saveDraft({ owner, draftId, category, content }));
      if (saved?.isOk()) client.draftId = saved.value.id;
    } else {
      // Twice at the same time, as an impatient finger does.
      const command = { seller: client.seller, draftId: client.draftId };
      const both = await Promise.all([desk.publishDraft(command), desk.publishDraft(command)]);
      for (const one of both) if (one.isOk()) client.offerId = one.value.offerId;
    }
    await sleep(env.clock, 50);
  }
};
const live = async (client: Client, desk: GostDesk, env: Env): Promise<void> => {
  await publish(client, desk, env);
  while (client.done < client.plan.length) {
    const verdict = await desk.changeOffer({
      offerId: client.offerId!,
      command: commandOf(client, client.done),
    });
    if (verdict.isOk() || verdict.error.kind !== 'Unavailable') client.done++;
    else await sleep(env.clock, 100);
  }
};

/** A feed's processor: loads in batches and a terminal, each message until it is done, some of them again and late. */
type Feeder = {
  readonly feed: FeedKey;
  readonly messages: readonly FeedMessage[];
  /** After how many messages an earlier one is delivered again. */
  readonly repeats: readonly (readonly [after: number, which: number])[];
  done: number;
};
const feederOf = (namespace: string, below: (n: number) => number): Feeder => {
  const feed: FeedKey = { seller: 'f' as SellerId, namespace };
  const loadOf = (task: number, generation: number): FeedMessage[] => {
    const at = { ...feed, task, generation };
    const entries = (from: number): FeedEntry[] =>
      [from, from + 1]
        .filter(() => below(4) > 0)
        .map((n) => feedEntry(n, { title: `Title ${below(2)}` }, { externalId: `e${below(3)}` }));
    const batches = [entries(0), entries(2)];
    return [
      ...batches.map((some, batch) => ({ ...at, kind: 'batch' as const, batch, entries: some })),
      feedTerminal(task, batches.length, batches.flat().length, at),
    ];
  };
  const messages = [...loadOf(1, 1), ...loadOf(2, 2)];
  return {
    ...{ feed, messages, done: 0 },
    repeats: [0, 1].map(() => [below(messages.length), below(messages.length)] as const),
  };
};
const feedOn = async (feeder: Feeder, desk: GostDesk, env: Env): Promise<void> => {
  const deliver = async (message: FeedMessage): Promise<void> => {
    for (;;) {
      const step = await desk.loadFeed(message);
      if (step.isOk() && step.value === 'done') return;
      if (step.isErr()) await sleep(env.clock, 100);
    }
  };
  while (feeder.done < feeder.messages.length) {
    await deliver(feeder.messages[feeder.done]!);
    feeder.done++;
    for (const [after, which] of feeder.repeats)
      if (after === feeder.done && which < feeder.done) await deliver(feeder.messages[which]!);
  }
};

type Options = {
  readonly mode: 'plain' | 'constrained';
  /** Without feeds, or without an archive, the world is smaller, and what is sought in it is found sooner. */
  readonly feeds?: boolean;
  readonly archive?: boolean;
  /** Planted bugs. */
  readonly storesOf?: (right: GostStores) => GostStores;
  readonly logOf?: (right: LogPublisher) => LogPublisher;
};
const gostScenario = ({
  mode,
  feeds = true,
  archive = true,
  storesOf = (right) => right,
  logOf = (right) => right,
}: Options): Scenario => ({
  faults: FAULTS,
  wildSteps: 300,
  calmSteps: 6_000,
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
      plan: Array.from({ length: 1 + world.below(6) }, () => world.below(KINDS.length)),
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
    return {
      law: () => {
        const archived = archivedIn(db, blobs).map(({ offer }) => offer);
        const offers = [...offersIn(db), ...archived].filter(({ seller }) => seller !== 'f');
        return offers.length > clients.length ? `two offers of one draft: ${offers.length}` : laws();
      },
      done: () =>
        clients.every(({ done, plan }) => done === plan.length) &&
        feeders.every(({ done, messages }) => done === messages.length) &&
        queueIsEmpty(db) &&
        (!archive || archiveIsQuiet(db, blobs)),
    };
  },
});
const hash = (text: string): number =>
  [...text].reduce((sum, symbol) => (Math.imul(sum, 31) + symbol.charCodeAt(0)) | 0, 7);

for (const mode of ['plain', 'constrained'] as const)
  simulationTest(
    `[G1] [G2] [G5] [G6] [G7] [G8] [G9] [G11] [G17] random histories, ${mode}: lists, counts, totals, topics, answers and the archive are what was decided`,
    gostScenario({ mode }),
    { seeds: 150, budgetMs: 3_500 },
  );

test.each<{ readonly bug: string; readonly options: Options; readonly law: RegExp }>([
  {
    bug: 'a zombie exporter that no fence stops',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
      logOf: (log) => ({ ...log, publish: (records) => log.publish(records) }),
    },
    law: /^order/,
  },
  {
    bug: 'a delete of everything up to the last key read',
    options: {
      mode: 'plain',
      feeds: false,
      archive: false,
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
      feeds: false,
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
      feeds: false,
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
])('[B5] [G5] the laws find $bug', async ({ options, law }) => {
  const { found } = await hunt(gostScenario(options), PORTFOLIO, { count: 400, budgetMs: 12_000 });
  expect(found?.outcome.failure).toMatch(law);
});

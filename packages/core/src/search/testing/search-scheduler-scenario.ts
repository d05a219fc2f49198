import { err, ok, okAsync, type Result } from 'neverthrow';
import type { CatalogCache, CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import {
  invalidInput,
  silentTelemetry,
  sleep,
  type Codec,
  type JobSpec,
  type Malformed,
} from '../../kernel/index.ts';
import {
  FAULTS,
  inMemoryGenericStorage,
  inMemoryMessageLog,
  memoryDatabase,
  memoryLogServer,
  type Env,
  type MemoryLogServer,
  type Scenario,
  type World,
} from '../../kernel/testing.ts';
import { BULK_TOPIC, LIVE_TOPIC, type Epoch } from '../../vasgen/index.ts';
import { openSearchScheduler, type SchedulerPorts } from '../open-search-scheduler.ts';
import { defaultSearchSettings, type SearchSettings } from '../settings.ts';
import { inMemoryClickCounts } from './in-memory-click-counts.ts';
import { inMemoryCtrStores } from './in-memory-ctr-stores.ts';
import { inMemoryParkingLot } from './in-memory-parking-lot.ts';
import { inMemoryTableSource, memoryTables, type MemoryTables } from './in-memory-table-source.ts';
import { sampleCatalog } from './sample-catalog.ts';
import { finalState, schedulerLaws, type SimulatedSearch } from './search-scheduler-laws.ts';
import { sampleOffer } from './ctr-stores.contract.ts';
import { searchCodecs, viewOf } from './search-world.ts';

export const UPDATES = 'gost-offer-updates';
export const GROUP = 'search-scheduler';
const PARTITIONS = 2;
/** Nothing waits longer than this for its turn, whatever a fault does. */
const settings: SearchSettings = {
  ...defaultSearchSettings,
  batch: { documentsMax: 3, bytesMax: 1e6, everyMs: 20 },
  retry: { firstMs: 20, factor: 2, maxMs: 200, jitter: 0 },
  epochsKeptMs: 100,
  parking: {
    afterMs: undefined,
    retry: { firstMs: 50, factor: 2, maxMs: 400, jitter: 0 },
    settleMs: 100,
    everyMs: 300,
  },
  ctr: {
    ...defaultSearchSettings.ctr,
    loadEveryMs: 300,
    resendEveryMs: 300,
    purgeEveryMs: 900,
    sliceRows: 2,
    graceMs: 1_000,
    rememberedMs: 1e9,
    abandonedMs: 500,
  },
};

/** The bytes of an update that was written by an older program. */
const OLD_PROTO = 'old proto';
const views: Codec<OfferView> = {
  encode: searchCodecs.view.encode,
  decode: (bytes): Result<OfferView, Malformed> =>
    new TextDecoder().decode(bytes) === OLD_PROTO
      ? err({ kind: 'Malformed', what: 'view' })
      : searchCodecs.view.decode(bytes),
};

export type SchedulerScenarioOptions = {
  readonly mode?: 'plain' | 'constrained';
  /** Planted bugs. */
  readonly portsOf?: (right: SchedulerPorts, process: 'scheduler' | 'jobs' | 'operator') => SchedulerPorts;
  readonly settingsOf?: (right: SearchSettings) => SearchSettings;
  readonly handlerOf?: (
    right: ReturnType<typeof openSearchScheduler>['scheduleOffers'],
    ports: SchedulerPorts,
  ) => ReturnType<typeof openSearchScheduler>['scheduleOffers'];
};

type Edit = {
  readonly status: OfferView['status'];
  /** The category is none of the catalogue's. */
  readonly isBroken: boolean;
  readonly isOldProto: boolean;
  /** The offer was saved with a newer catalogue than most copies are. */
  readonly needsCatalog: number;
};
const GOOD: Edit = { status: 'active', isBroken: false, isOldProto: false, needsCatalog: 3 };

const anyEdit = (below: (n: number) => number, offer: number): Edit => ({
  status: below(3) === 0 ? 'banned' : 'active',
  // The next edit of the offer mends it.
  isBroken: below(4) === 0,
  isOldProto: offer === 1 && below(3) === 0,
  needsCatalog: below(4) === 0 ? 4 : 3,
});

/** The offer store: a save makes a version and its record in the topic at once. */
const save = (state: SimulatedSearch, server: MemoryLogServer, offer: number, edit: Edit): void => {
  const id = state.ids[offer]!;
  const history = state.offers.get(id) ?? [];
  const version = (history.at(-1)?.updatedAtUs ?? 0) + 1;
  const view = viewOf(id, {
    updatedAtUs: version,
    title: `title ${version}`,
    status: edit.status,
    catalogVersion: edit.needsCatalog,
    ...(edit.isBroken ? { category: 'no-such' as CategoryId } : {}),
  });
  state.offers.set(id, [...history, view]);
  const topic = server.topics.get(UPDATES)!;
  const partition = offer % PARTITIONS;
  const { records } = topic.partitions[partition]!;
  records.push(
    Object.freeze({
      key: id,
      value: edit.isOldProto ? new TextEncoder().encode(OLD_PROTO) : views.encode(view),
      headers: { version: String(version) },
      timestampMs: server.nowMs(),
      position: { log: topic.info.log, topic: UPDATES, partition, offset: records.length },
    }),
  );
  server.arrivals.set(UPDATES, (server.arrivals.get(UPDATES) ?? 0) + 1);
  server.listeners.forEach((heard) => heard(UPDATES));
};

const catalogOn = ({ io }: Env, newest: () => number): Pick<CatalogCache, 'copy' | 'atLeast'> => {
  let copy = sampleCatalog(3);
  return {
    copy: () => ok({ catalog: copy, ageMs: 0 }),
    atLeast: async (version) => {
      if (copy.version < version) {
        const found = await io({ name: 'catalog.newest' }, () => ok(newest()));
        // Away: the older copy is answered with.
        if (found.isOk()) copy = sampleCatalog(found.value);
      }
      return ok({ catalog: copy, ageMs: 0 });
    },
  };
};
const epochOf = (epoch: number, at: number): Epoch => ({
  epoch,
  state: at === 0 ? 'serving' : 'building',
  schema: { number: 0, fields: {} },
});

const portsOn = (
  env: Env,
  state: SimulatedSearch,
  server: MemoryLogServer,
  tables: MemoryTables,
  mode: 'plain' | 'constrained',
): SchedulerPorts => {
  const { io, clock, random } = env;
  const rightTables = inMemoryTableSource(tables);
  return {
    catalog: catalogOn(env, () => state.catalogVersion),
    epochs: {
      living: () => io({ name: 'epochs.living' }, () => ok(state.epochs.map(epochOf))),
      declare: () => okAsync(undefined),
    },
    indexed: {
      page: (epoch) =>
        io({ name: 'index.page' }, () => {
          if (!state.epochs.includes(epoch)) return err(invalidInput());
          const living = [...state.winners.values()].filter(
            (one) => one.epoch === epoch && one.event === 'upsert',
          );
          return ok({ offers: living.map(({ pk, version }) => ({ pk, version })), next: undefined });
        }),
      versions: (epoch, pks) =>
        io({ name: 'index.versions' }, () =>
          ok(
            new Map(
              pks.flatMap((pk) => {
                const winner = state.winners.get(`${epoch}/${pk}`);
                return winner?.event === 'upsert' ? [[pk, winner.version] as const] : [];
              }),
            ),
          ),
        ),
    },
    offers: {
      page: () =>
        io({ name: 'offers.page' }, () =>
          ok({ views: [...state.offers.values()].map((history) => history.at(-1)!), next: undefined }),
        ),
      find: (ids) => {
        // The answer for the first offer may be one version behind: a copy that lags.
        const isBehind = ids.length === 1 && ids[0] === state.ids[0] && random.below(3) === 0;
        return io({ name: 'offers.find', args: { ids } }, () =>
          ok(
            new Map(
              ids.flatMap((id) => {
                const history = state.offers.get(id) ?? [];
                const view = (isBehind ? history.at(-2) : undefined) ?? history.at(-1);
                return view ? [[id, view] as const] : [];
              }),
            ),
          ),
        );
      },
    },
    clicks: inMemoryClickCounts(state.db, io),
    lot: inMemoryParkingLot(state.db, io),
    ctr: inMemoryCtrStores(state.db, io),
    tables: {
      list: (kind) => io({ name: 'tables.list' }, () => ok(undefined)).andThen(() => rightTables.list(kind)),
      read: (...asked) =>
        io({ name: 'tables.read' }, () => ok(undefined)).andThen(() => rightTables.read(...asked)),
    },
    storage: inMemoryGenericStorage(state.db, io),
    log: inMemoryMessageLog({
      server,
      io,
      clock,
      ids: env.ids,
      random,
      mode: mode === 'plain' ? 'full' : 'minimal',
    }),
    clock,
    random,
    telemetry: silentTelemetry,
    codecs: { ...searchCodecs, view: views },
    partitions: PARTITIONS,
  };
};

const topicIn = (server: MemoryLogServer, name: string, partitions: number): void =>
  void server.topics.set(name, {
    info: {
      name,
      partitions,
      retentionMs: 1e9,
      recordBytesMax: 1e6,
      log: `memory:${name}`,
      times: 'log',
    },
    partitions: Array.from({ length: partitions }, () => ({ records: [], base: 0 })),
  });

const OFFERS = 4;
/** This one is broken until an operator parks it and its seller mends it. */
const STUBBORN = 2;

/** Sellers edit, two schedulers share the partitions, jobs run in both, an epoch comes and another goes, tables of click rates come. */
export const schedulerScenario = (options: SchedulerScenarioOptions = {}): Scenario => ({
  faults: FAULTS,
  wildSteps: 400,
  calmSteps: 30_000,
  build: (world: World) => {
    const { mode = 'plain', portsOf = (right) => right, settingsOf = (right) => right } = options;
    const { nowMs } = world;
    const server = memoryLogServer(nowMs);
    topicIn(server, UPDATES, PARTITIONS);
    topicIn(server, LIVE_TOPIC, PARTITIONS);
    topicIn(server, BULK_TOPIC, 1);
    const state: SimulatedSearch = {
      ids: Array.from({ length: OFFERS }, (_, n) => sampleOffer(n + 1)),
      offers: new Map<OfferId, readonly OfferView[]>(),
      epochs: [1],
      catalogVersion: 3,
      winners: new Map(),
      db: memoryDatabase({ nowMs, mode }),
      server,
      stubborn: STUBBORN,
      isMended: world.below(3) > 0,
      partitionOf: (offer) => offer % PARTITIONS,
      lastRate: 0,
    };
    /** Sellers save once, and click rates come at once: so faults meet the queue of offers too. */
    const isShort = world.below(4) === 0;
    if (isShort) state.isMended = true;
    const lastRate = isShort ? 0.1 : 0.2;
    const tables = memoryTables();
    const never = new AbortController().signal;
    const opened = (env: Env, process: 'scheduler' | 'jobs' | 'operator') => {
      const ports = portsOf(portsOn(env, state, server, tables, mode), process);
      return { ports, scheduler: openSearchScheduler(ports, settingsOf(settings)) };
    };
    const runJob = async (job: JobSpec, { clock }: Env): Promise<void> => {
      for (;;) {
        await job.run({ token: 1, signal: never });
        await sleep(clock, job.everyMs);
      }
    };

    const progress = { edited: isShort, filled: isShort, mended: isShort, done: false };
    const plans = state.ids.map((_, offer) =>
      Array.from({ length: world.below(4) }, () => anyEdit(world.below, offer)),
    );
    world.process('sellers', async ({ io, clock }) => {
      const edit = async (offer: number, one: Edit): Promise<boolean> =>
        (await io({ name: 'gost.save' }, () => ok(save(state, server, offer, one)))).isOk();
      const surely = async (offer: number, one: Edit): Promise<void> => {
        while (!(await edit(offer, one))) await sleep(clock, 50);
      };
      if (isShort) {
        for (const [offer, id] of state.ids.entries()) if (!state.offers.has(id)) await surely(offer, GOOD);
        return;
      }
      for (const [offer, plan] of plans.entries())
        for (let one = plan.shift(); one; one = plan.shift()) {
          await edit(offer, offer === STUBBORN ? { ...one, isBroken: true, status: 'active' } : one);
          await sleep(clock, 30);
        }
      await surely(STUBBORN, { ...GOOD, isBroken: true });
      progress.edited = true;
      while (!progress.filled) await sleep(clock, 100);
      // The third offer ends as deleted, whatever its category.
      for (const [offer] of state.ids.entries()) {
        if (offer === STUBBORN) continue;
        await surely(offer, offer === 3 ? { ...GOOD, status: 'banned', isBroken: true } : GOOD);
      }
      if (state.isMended) await surely(STUBBORN, GOOD);
      progress.mended = true;
    });
    /** Clocks of different machines are apart. */
    const skew = (): { readonly skewMs: number } => ({ skewMs: [0, 0, 2_000, 5_000][world.below(4)]! });
    for (const n of [0, 1]) {
      const main = async (env: Env): Promise<void> => {
        const { ports, scheduler } = opened(env, 'scheduler');
        const log = inMemoryMessageLog({
          server,
          io: env.io,
          clock: env.clock,
          ids: env.ids,
          random: env.random,
          mode: mode === 'plain' ? 'full' : 'minimal',
          leaseTimes: { leaseMs: 900, beatMs: 300, drainMs: 300 },
        });
        const right = scheduler.scheduleOffers;
        const subscription = log.subscribe({
          group: GROUP,
          topic: UPDATES,
          handler: options.handlerOf ? options.handlerOf(right, ports) : right,
          batchRecordsMax: 4,
        });
        await subscription.ended;
      };
      world.process(`scheduler-${n}`, main, skew());
    }
    // Jobs run under a lease. A process that lost it may not know yet: so both run at times.
    for (const n of [0, 1]) {
      const main = async (env: Env): Promise<void> => {
        const { scheduler } = opened(env, 'jobs');
        await Promise.all([...scheduler.ctrJobs, scheduler.parkingJob].map((job) => runJob(job, env)));
      };
      world.process(`jobs-${n}`, main, skew());
    }
    world.process('operator', async (env) => {
      const { scheduler } = opened(env, 'operator');
      const { io, clock } = env;
      const surely = async (name: string, work: () => void): Promise<void> => {
        while ((await io({ name }, () => ok(work()))).isErr()) await sleep(clock, 50);
      };
      if (isShort) return;
      await sleep(clock, 100);
      await surely('catalog.publish', () => (state.catalogVersion = 4));
      while (!progress.edited) await sleep(clock, 100);
      const stubborn = {
        offerId: state.ids[STUBBORN]!,
        cause: 'operator' as const,
        reason: 'x',
        versionUs: 0,
      };
      while (state.isMended && (await scheduler.parking.park([stubborn], 'later')).isErr())
        await sleep(clock, 50);
      await surely('epochs.create', () => (state.epochs = [1, 2]));
      // The re-index ends with a comparison: a scheduler that has not heard of the epoch writes to the old one only.
      for (let cursor = ''; ;) {
        const slice = await scheduler.reindexOffers({
          mode: 'reindex',
          epoch: 2,
          category: undefined,
          cursor,
        });
        await sleep(clock, slice.isOk() ? slice.value.waitMs : 100);
        if (slice.isErr()) continue;
        cursor = slice.value.nextCursor;
        if (cursor === '') break;
      }
      await surely('epochs.finish', () => (state.epochs = [2]));
      progress.filled = true;
      for (;;) await sleep(clock, 10_000);
    });
    world.process('analysts', async ({ io, clock }) => {
      const put = async (kind: 'weekly' | 'hourly', name: string, rate: number): Promise<void> => {
        const rows = state.ids
          // A deleted offer is not seen.
          .filter((id) => kind === 'weekly' || state.offers.get(id)?.at(-1)?.status === 'active')
          .map((offer_id) => ({ offer_id, ...(kind === 'weekly' ? { ctr: rate } : {}) }));
        const table = { rows, version: '1', atMs: Math.floor(rate * 100) };
        while ((await io({ name: 'tables.put' }, () => ok(tables[kind].set(name, table)))).isErr())
          await sleep(clock, 50);
      };
      while (isShort && state.winners.size < OFFERS) await sleep(clock, 50);
      await put('weekly', 'w1', 0.1);
      await sleep(clock, 300);
      while (isShort && state.lastRate === 0) await sleep(clock, 50);
      await put('hourly', 'h1', 0.1);
      if (isShort) {
        progress.done = true;
        return;
      }
      while (!progress.mended) await sleep(clock, 100);
      await put('weekly', 'w2', 0.2);
      while (state.lastRate !== 0.2) await sleep(clock, 100);
      // Rates that were read before the switch are on their way for a while.
      await sleep(clock, 50);
      await put('hourly', 'h2', 0.2);
      progress.done = true;
    });

    const law = schedulerLaws(state, { updates: UPDATES, group: GROUP });
    return {
      law,
      done: () =>
        progress.done && finalState(state, { rate: lastRate, updates: UPDATES, group: GROUP }) === undefined,
    };
  },
});

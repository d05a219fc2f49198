import { mkdir, readdir, rm } from 'node:fs/promises';
import { silentTelemetry, unavailable, type Clock, type Logger, type Unavailable } from '@doska/core/kernel';
import {
  checkDigest,
  checkPlaces,
  checkPlan,
  checkSchema,
  checkWords,
  coversSchema,
  grownSchema,
  indexName,
  type Analyzer,
  type IndexName,
  type NoIndex,
  type OtherAnalyzer,
  type PlanInvalid,
  type QueryPlan,
  type RebuildMoved,
  type SearchEngine,
  type UnknownIndex,
  type Where,
} from '@doska/core/vasgen';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { digestOf, placesOf } from '../index/digests.ts';
import { listedWords } from '../index/listed-words.ts';
import { SearchIndex } from '../index/search-index.ts';
import { execute, type ExecuteLimits } from '../query/execute.ts';
import { explain } from '../query/explain.ts';
import { SnapshotStore } from '../snapshot/snapshot-store.ts';
import { lockFolder, type FolderInUse, type FolderLock } from './folder-lock.ts';
import { guard } from './guard.ts';
import { IndexHost, type HostFiles } from './index-host.ts';
import { ServingNames } from './serving-names.ts';

export type EngineSettings = {
  /** Where snapshots are kept; absent: indexes live in memory only. One engine a folder: a second one is refused. */
  readonly dir?: string;
  /** Documents a segment, at most 65,536. */
  readonly segmentDocuments?: number;
  /** How long tombstones are remembered: at least as long as the registry does. */
  readonly horizonMs?: number;
  /** Changes after which an index takes a snapshot by itself. */
  readonly snapshotChanges?: number;
  /** The most a query may take, whatever its plan says. */
  readonly queryMs?: number;
  readonly queryBytes?: number;
  /** How many completions of an unfinished word are looked at. */
  readonly completions?: number;
};
export type EmbeddedEngineOptions = EngineSettings & {
  readonly analyzer: Analyzer;
  readonly clock: Clock;
  readonly logger?: Logger;
};

/**
 * What became of an index at opening. `otherAnalyzer` built it: it is kept and answers with `OtherAnalyzer`. Without
 * `snapshot` and `otherAnalyzer` nothing of it could be read: create it again and rebuild.
 */
export type OpenedIndex = {
  readonly name: IndexName;
  readonly snapshot?: number;
  readonly otherAnalyzer?: string;
  readonly damaged: readonly { readonly number: number; readonly reason: string }[];
};
export interface EmbeddedEngine extends SearchEngine {
  readonly opened: readonly OpenedIndex[];
  /** Resolves when everything that is applied now is on the disk. */
  snapshot(index: IndexName): ResultAsync<void, NoIndex | Unavailable>;
}

const WEEK_MS = 7 * 86_400_000;
const unknown = (name: string): UnknownIndex => ({ kind: 'UnknownIndex', name });
const closed = (): Unavailable => unavailable('engine', new Error('closed'), false);
const moved = ({ index, rebuild: present }: IndexHost, rebuild: number): RebuildMoved => ({
  kind: 'RebuildMoved',
  name: index.spec.name,
  rebuild,
  present,
});

class Engine implements EmbeddedEngine {
  readonly opened: OpenedIndex[] = [];
  readonly #options: EmbeddedEngineOptions;
  readonly #logger: Logger;
  readonly #hosts = new Map<string, IndexHost>();
  /** Indexes on the disk that another analyzer built, with its id. */
  readonly #others = new Map<string, string>();
  readonly #serving: ServingNames;
  readonly #lock: FolderLock | undefined;
  /** The folder may be another engine's by then: nothing is written to it any more. */
  #isClosed = false;

  constructor(options: EmbeddedEngineOptions, lock?: FolderLock) {
    this.#options = options;
    this.#lock = lock;
    this.#logger = options.logger ?? silentTelemetry.logger;
    this.#serving = new ServingNames(options.dir);
  }

  get #indexOptions() {
    const { analyzer, segmentDocuments, horizonMs = WEEK_MS } = this.#options;
    return { analyzer, horizonMs, ...(segmentDocuments === undefined ? {} : { segmentDocuments }) };
  }

  #host(
    index: SearchIndex,
    positions: ConstructorParameters<typeof IndexHost>[1],
    files?: HostFiles,
  ): IndexHost {
    const { clock, snapshotChanges = 100_000 } = this.#options;
    const host = new IndexHost(index, positions, { clock, logger: this.#logger, snapshotChanges }, files);
    this.#hosts.set(index.spec.name, host);
    return host;
  }

  #filesOf(name: IndexName): HostFiles | undefined {
    const { dir } = this.#options;
    return dir === undefined
      ? undefined
      : { folder: `${dir}/${name}`, store: new SnapshotStore(`${dir}/${name}`) };
  }

  async open(): Promise<this> {
    const { dir } = this.#options;
    if (dir === undefined) return this;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      const name = entry.isDirectory() ? indexName(entry.name) : undefined;
      if (!name) continue;
      const files = this.#filesOf(name)!;
      const { loaded, otherAnalyzer, damaged } = await files.store.load(this.#indexOptions);
      for (const one of damaged) this.#logger.error('damaged snapshot', { index: name, ...one });
      this.opened.push({
        name,
        damaged,
        ...(loaded ? { snapshot: loaded.manifest.number } : {}),
        ...(otherAnalyzer === undefined ? {} : { otherAnalyzer }),
      });
      if (otherAnalyzer !== undefined) {
        this.#others.set(name, otherAnalyzer);
        this.#logger.error('another analyzer built this index: it needs a new epoch', this.#other(name));
      }
      if (loaded) this.#host(loaded.index, loaded.manifest.positions, files);
    }
    if (!(await this.#serving.load())) this.#logger.error('damaged file of serving names');
    return this;
  }

  #other(name: string): OtherAnalyzer | undefined {
    const built = this.#others.get(name);
    const present = this.#options.analyzer.id;
    return built === undefined
      ? undefined
      : { kind: 'OtherAnalyzer', name: name as IndexName, built, present };
  }

  #find(name: string | undefined, asked = name): Result<IndexHost, NoIndex> {
    const host = name === undefined ? undefined : this.#hosts.get(name);
    if (host) return ok(host);
    return err((name === undefined ? undefined : this.#other(name)) ?? unknown(asked!));
  }

  create: SearchEngine['create'] = (spec) => {
    const before = this.#hosts.get(spec.name);
    const { epoch, schema } = before?.index.spec ?? {};
    if (before)
      return epoch === spec.epoch && coversSchema(schema!, spec.schema)
        ? okAsync(undefined)
        : errAsync({ kind: 'IndexExists', name: spec.name });
    const other = this.#other(spec.name);
    if (other) return errAsync(other);
    if (this.#isClosed) return errAsync(closed());
    return checkSchema(spec.schema).asyncAndThen(() => {
      const files = this.#filesOf(spec.name);
      const host = this.#host(new SearchIndex({ spec, ...this.#indexOptions }), [], files);
      return guard('create index', async () => {
        // What could not be read at opening makes room: the caller was told, and begins anew.
        if (files) await rm(files.folder, { recursive: true, force: true });
        await host.snapshot();
      }).orTee(() => this.#hosts.delete(spec.name));
    });
  };

  extend: SearchEngine['extend'] = (name, wanted) =>
    this.#find(name)
      .andThen((host) => grownSchema(host.index.spec.schema, wanted).map((schema) => host.extend(schema)))
      .asyncMap(async () => undefined);

  drop: SearchEngine['drop'] = (name) =>
    guard('drop index', () =>
      this.#serving.alone(async () => {
        const [serving] = this.#serving.of(name);
        if (serving) return err({ kind: 'IndexServes' as const, name, serving });
        const host = this.#hosts.get(name);
        this.#hosts.delete(name);
        await host?.drop();
        const files = this.#others.delete(name) ? this.#filesOf(name) : undefined;
        if (files) await rm(files.folder, { recursive: true, force: true });
        return ok(undefined);
      }),
    ).andThen((dropped) => dropped);

  serve: SearchEngine['serve'] = (serving, to, { from } = {}) => {
    const found = this.#find(to);
    if (found.isErr()) return errAsync(found.error);
    const may = (actual: IndexName | undefined): boolean =>
      this.#hosts.has(to) && (from === undefined || (from ?? undefined) === actual);
    return guard('serve index', () => this.#serving.move(serving, to, may)).andThen((moved) => {
      if (moved) return ok(undefined);
      const actual = this.#serving.get(serving);
      return err({ kind: 'ServingMoved' as const, serving, ...(actual ? { actual } : {}) });
    });
  };

  indexes: SearchEngine['indexes'] = () =>
    okAsync([...this.#hosts.values()].map((host) => host.info(this.#serving.of(host.index.spec.name))));

  apply: SearchEngine['apply'] = (name, changes, progress = {}) =>
    this.#find(name).asyncAndThen((host) => guard('apply', () => host.apply(changes, progress)));

  renew: SearchEngine['renew'] = (name, rebuild) =>
    this.#find(name)
      .andThen((host) => (rebuild === host.rebuild + 1 ? ok(host.renew(rebuild)) : err(moved(host, rebuild))))
      .asyncMap(async () => undefined);

  sweep: SearchEngine['sweep'] = (name, rebuild) =>
    this.#find(name)
      .andThen((host) => (rebuild === host.rebuild ? ok(host) : err(moved(host, rebuild))))
      .asyncAndThen((host) => guard('sweep', () => host.run(host.index.sweep())));

  flush: SearchEngine['flush'] = (name) =>
    this.#find(name).asyncAndThen((host) => guard('flush', async () => void (await host.apply([], {}))));

  get #limits(): ExecuteLimits {
    const { queryMs = 1_000, queryBytes = 64 << 20, completions = 4_096 } = this.#options;
    return { timeMs: queryMs, bytes: queryBytes, completions, nowMs: () => performance.now() };
  }

  /** Name, check and answer in one step: the index that is found is the one that answers, as it stands now. */
  #asked(where: Where, plan: QueryPlan): Result<SearchIndex, NoIndex | PlanInvalid> {
    const asked = 'index' in where ? where.index : where.serving;
    return this.#find('index' in where ? where.index : this.#serving.get(where.serving), asked).andThen(
      ({ index }) => checkPlan(index.spec.schema, plan).map(() => index),
    );
  }

  execute: SearchEngine['execute'] = (where, plan) =>
    this.#asked(where, plan)
      .map((index) => execute(index, plan, this.#limits))
      .asyncMap(async (value) => value);

  explain: SearchEngine['explain'] = (where, plan, pk) =>
    this.#asked(where, plan)
      .map((index) => explain(index, plan, pk, this.#limits))
      .asyncMap(async (value) => value);

  look: SearchEngine['look'] = (name, pks) =>
    this.#find(name).asyncMap(async ({ index }) => pks.map((pk) => index.look(pk)));

  digest: SearchEngine['digest'] = (name, plan) =>
    checkDigest(plan)
      .andThen(() => this.#find(name))
      .asyncAndThen((host) => guard('digest', () => host.run(digestOf(host.index, plan))));

  places: SearchEngine['places'] = (name, plan) =>
    checkPlaces(plan)
      .andThen(() => this.#find(name))
      .asyncAndThen((host) => guard('places', () => host.run(placesOf(host.index, plan))));

  words: SearchEngine['words'] = (where, plan) => {
    const asked = 'index' in where ? where.index : where.serving;
    return checkWords(plan)
      .andThen(() => this.#find('index' in where ? where.index : this.#serving.get(where.serving), asked))
      .asyncAndThen((host) => guard('words', () => host.run(listedWords(host.index, plan))));
  };

  snapshot: EmbeddedEngine['snapshot'] = (name) =>
    this.#find(name).asyncAndThen((host) => guard('snapshot', () => host.snapshot()));

  close = async (): Promise<void> => {
    const hosts = [...this.#hosts.values()];
    this.#hosts.clear();
    this.#isClosed = true;
    await this.#serving.alone(() => Promise.all(hosts.map((host) => host.close())));
    this.#lock?.release();
  };
}

/** For a caller that already holds the folder's lock, or hands it over with the engine. */
export const openLocked = (
  options: EmbeddedEngineOptions,
  lock?: FolderLock,
): ResultAsync<EmbeddedEngine, Unavailable> =>
  guard('open engine', () => new Engine(options, lock).open()).orTee(() => lock?.release());

/** The lock of an engine's folder; nothing to lock where it lives in memory. */
export const lockOf = ({
  dir,
}: EngineSettings): ResultAsync<FolderLock | undefined, FolderInUse | Unavailable> =>
  guard('lock folder', async () => (dir === undefined ? ok(undefined) : lockFolder(dir))).andThen(
    (locked) => locked,
  );

/** Opens what the folder holds: each index from its newest good snapshot. `opened` tells what was found and what was not. */
export const openEmbeddedEngine = (
  options: EmbeddedEngineOptions,
): ResultAsync<EmbeddedEngine, FolderInUse | Unavailable> =>
  lockOf(options).andThen((lock) => openLocked(options, lock));

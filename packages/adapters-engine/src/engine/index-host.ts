import { rm } from 'node:fs/promises';
import type { Clock, Logger, Position } from '@doska/core/kernel';
import type {
  ApplyVerdict,
  FeedProgress,
  IndexChange,
  IndexInfo,
  IndexSchema,
  ServingName,
} from '@doska/core/vasgen';
import type { SearchIndex } from '../index/search-index.ts';
import { indexImageOf } from '../snapshot/index-image.ts';
import type { SnapshotStore } from '../snapshot/snapshot-store.ts';

type Job = {
  readonly changes: readonly IndexChange[];
  readonly progress: FeedProgress;
  readonly verdicts: ApplyVerdict[];
  readonly done: (verdicts: readonly ApplyVerdict[]) => void;
  readonly fail: (cause: Error) => void;
};

/** Long work on the index that gives way to queries after every slice. */
type Task = { readonly step: () => boolean; readonly fail: (cause: Error) => void };

export type HostOptions = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Changes after which a snapshot is taken by itself. */
  readonly snapshotChanges: number;
};
/** Where snapshots go; absent: the index lives in memory only. */
export type HostFiles = { readonly store: SnapshotStore; readonly folder: string };

/** How long one slice holds the thread; a query that arrives waits for one slice at most. */
const SLICE_MS = 1;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Owns one index: changes are applied and upkeep is done in slices, so that queries get in between. */
export class IndexHost {
  readonly index: SearchIndex;
  caughtUp = false;
  readonly #positions = new Map<string, Position>();
  readonly #options: HostOptions;
  readonly #files: HostFiles | undefined;
  readonly #jobs: Job[] = [];
  readonly #tasks: Task[] = [];
  rebuild = 0;
  #isPumping = false;
  #isClosed = false;
  #changes = 0;
  #snapshots: Promise<unknown> = Promise.resolve();
  #isSnapshotting = false;

  constructor(index: SearchIndex, positions: readonly Position[], options: HostOptions, files?: HostFiles) {
    this.index = index;
    this.#options = options;
    this.#files = files;
    this.#note({ positions });
  }

  apply(changes: readonly IndexChange[], progress: FeedProgress): Promise<readonly ApplyVerdict[]> {
    return new Promise((done, fail) => {
      if (this.#isClosed) return fail(new Error('closed'));
      this.#jobs.push({ changes, progress, verdicts: [], done, fail });
      if (!this.#isPumping) void this.#pump();
    });
  }

  /** Runs in slices between queries; the next of its kind waits until it is over. */
  run<T>(work: Generator<void, T>): Promise<T> {
    return new Promise((done, fail) => {
      if (this.#isClosed) return fail(new Error('closed'));
      const step = (): boolean => {
        const { done: isOver, value } = work.next();
        if (isOver) done(value);
        return isOver === true;
      };
      this.#tasks.push({ step, fail });
      if (!this.#isPumping) void this.#pump();
    });
  }

  extend(schema: IndexSchema): void {
    this.index.extend(schema);
  }

  /** Everything is old from now on, and the progress is forgotten: see the port. */
  renew(rebuild: number): void {
    this.rebuild = rebuild;
    this.index.renew();
    this.#positions.clear();
    this.caughtUp = false;
  }

  #note({ positions = [], caughtUp }: FeedProgress): void {
    for (const position of positions)
      this.#positions.set(`${position.topic}/${position.partition}`, position);
    this.caughtUp = caughtUp ?? this.caughtUp;
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    for (let more = true; more && !this.#isClosed;) {
      // Also before the first slice: a feeder that does nothing but apply leaves turns to everybody else.
      await turn();
      this.#applySlice();
      this.#taskSlice();
      more = this.#upkeepSlice() || this.#jobs.length > 0 || this.#tasks.length > 0;
    }
    this.#isPumping = false;
  }

  #applySlice(): void {
    const untilMs = performance.now() + SLICE_MS;
    for (let job = this.#jobs[0]; job; job = this.#jobs[0]) {
      while (job.verdicts.length < job.changes.length) {
        job.verdicts.push(this.index.apply(job.changes[job.verdicts.length]!, this.#options.clock.nowMs()));
        this.#changes++;
        if (performance.now() >= untilMs && job.verdicts.length < job.changes.length) return;
      }
      // In the same step as the last change: a snapshot that has this place has all changes before it.
      if (job.verdicts.every(({ kind }) => kind !== 'invalid')) this.#note(job.progress);
      this.#jobs.shift();
      job.done(job.verdicts);
      if (this.#changes >= this.#options.snapshotChanges) this.#snapshotByItself();
      if (performance.now() >= untilMs) return;
    }
  }

  #taskSlice(): void {
    const untilMs = performance.now() + SLICE_MS;
    while (this.#tasks.length > 0 && performance.now() < untilMs)
      if (this.#tasks[0]!.step()) this.#tasks.shift();
  }

  #upkeepSlice(): boolean {
    const untilMs = performance.now() + SLICE_MS;
    for (;;) {
      if (!this.index.upkeep(this.#options.clock.nowMs())) return false;
      if (performance.now() >= untilMs) return true;
    }
  }

  #snapshotByItself(): void {
    if (this.#isSnapshotting || !this.#files) return;
    this.#changes = 0;
    this.snapshot().catch((cause: unknown) =>
      this.#options.logger.error('snapshot failed', { index: this.index.spec.name, cause }),
    );
  }

  /** One after another; resolves when what is applied now is on the disk. */
  snapshot(): Promise<void> {
    const files = this.#files;
    if (!files) return Promise.resolve();
    const next = this.#snapshots.then(async () => {
      if (this.#isClosed) return;
      this.#isSnapshotting = true;
      this.#changes = 0;
      try {
        await files.store.save(indexImageOf(this.index, [...this.#positions.values()]));
      } finally {
        this.#isSnapshotting = false;
      }
    });
    this.#snapshots = next.catch(() => undefined);
    return next;
  }

  info(serving: readonly ServingName[]): IndexInfo {
    const documents = this.index.aliveCount;
    const { bytes } = this.index;
    return {
      ...this.index.spec,
      serving,
      documents,
      tombstones: this.index.buriedCount,
      bytes,
      bytesPerDocument: documents === 0 ? 0 : bytes / documents,
      positions: [...this.#positions.values()],
      caughtUp: this.caughtUp,
      rebuild: this.rebuild,
    };
  }

  /** What was asked to apply and is not finished fails; a snapshot under way is finished first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of [...this.#jobs.splice(0), ...this.#tasks.splice(0)]) job.fail(new Error('closed'));
    await this.#snapshots;
  }

  async drop(): Promise<void> {
    await this.close();
    if (this.#files) await rm(this.#files.folder, { recursive: true, force: true });
  }
}

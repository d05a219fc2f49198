import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '../errors.ts';
import { BLOB_PAGE_MAX, type BlobArea, type BlobHash, type BlobStore } from '../ports/blob-store.port.ts';
import type { Clock } from '../ports/clock.port.ts';
import type { GenericStorage } from '../ports/generic-storage.port.ts';
import { deleteCondemned } from './delete-condemned.use-case.ts';
import type { NamedSegments } from './named-segments.port.ts';

export type SweepSegmentsNeeds = {
  readonly archive: NamedSegments;
  /** Where the segments are. */
  readonly area: BlobArea;
  /** Remembers segments that a sweep found unnamed, and when it first did. */
  readonly space: string;
  readonly blobs: Pick<BlobStore, 'list' | 'delete'>;
  readonly storage: GenericStorage;
  readonly clock: Clock;
  /** How long a segment must be unused before it is deleted: the process that wrote it may still be at work. */
  readonly graceMs: number;
};
export type Swept = { readonly segments: number; readonly unnamed: number; readonly deleted: number };
export type SweepSegments = (signal: AbortSignal) => ResultAsync<Swept, Unavailable>;

type Seen = { readonly sinceMs: number; readonly version: number };
const encode = (sinceMs: number): Uint8Array => new TextEncoder().encode(String(sinceMs));
const decode = (bytes: Uint8Array): number => Number(new TextDecoder().decode(bytes));

/**
 * Deletes unused segments: those of a crashed mover, and those that were rewritten. A segment is condemned
 * first, by the database that holds the pointers: after that none can come. The grace only spares a mover that is at
 * work from doing it again; no named segment is ever deleted, however wrong the clocks are.
 */
export const makeSweepSegments = (needs: SweepSegmentsNeeds): SweepSegments => {
  const { archive, area, space, blobs, storage, clock, graceMs } = needs;
  const remembered = async (
    page: readonly BlobHash[],
  ): Promise<Result<ReadonlyMap<string, Seen>, Unavailable>> => {
    const stored = await storage.get(space, page);
    return stored.map(
      (values) =>
        new Map(values.map(({ key, value, version }) => [key, { sinceMs: decode(value), version }])),
    );
  };
  /** A lost race for what is remembered is another sweep's word: it stands. */
  const remember = async (hash: BlobHash): Promise<Result<void, Unavailable>> => {
    const put = await storage.put(space, hash, encode(clock.nowMs()), 0);
    return put.isErr() && put.error.kind === 'Unavailable' ? err(put.error) : ok(undefined);
  };
  const forget = async (hash: BlobHash, { version }: Seen): Promise<Result<void, Unavailable>> => {
    const removed = await storage.remove(space, hash, version);
    return removed.isErr() && removed.error.kind === 'Unavailable' ? err(removed.error) : ok(undefined);
  };
  const condemn = async (hash: BlobHash, seen: Seen): Promise<Result<void, Unavailable>> => {
    const condemned = await archive.condemn(hash);
    return condemned.isErr() ? err(condemned.error) : forget(hash, seen);
  };
  /** Returns how many are unused. */
  const judge = async (page: readonly BlobHash[]): Promise<Result<number, Unavailable>> => {
    const named = await archive.named(page);
    const seen = await remembered(page);
    if (named.isErr()) return err(named.error);
    if (seen.isErr()) return err(seen.error);
    const known = new Set(named.value);
    let unnamed = 0;
    for (const hash of page) {
      const before = seen.value.get(hash);
      if (known.has(hash)) {
        const forgotten = before ? await forget(hash, before) : ok(undefined);
        if (forgotten.isErr()) return err(forgotten.error);
        continue;
      }
      unnamed++;
      if (before && clock.nowMs() - before.sinceMs < graceMs) continue;
      const step = await (before ? condemn(hash, before) : remember(hash));
      if (step.isErr()) return err(step.error);
    }
    return ok(unnamed);
  };
  const sweep = async (signal: AbortSignal): Promise<Result<Swept, Unavailable>> => {
    let segments = 0;
    let unnamed = 0;
    for (let after: BlobHash | undefined; !signal.aborted;) {
      const listed = await blobs.list(area, { limit: BLOB_PAGE_MAX, ...(after ? { after } : {}) });
      if (listed.isErr()) return err(listed.error);
      const page = listed.value.map(({ hash }) => hash);
      after = page.at(-1);
      if (!after) break;
      const judged = await judge(page);
      if (judged.isErr()) return err(judged.error);
      segments += page.length;
      unnamed += judged.value;
    }
    return (await deleteCondemned(archive, blobs, area)).map((deleted) => ({ segments, unnamed, deleted }));
  };
  return (signal) => new ResultAsync(sweep(signal));
};

import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type Unavailable } from '../errors.ts';
import type { BlobHash } from '../ports/blob-store.port.ts';
import type { Clock } from '../ports/clock.port.ts';
import type { Codec } from '../ports/codec.port.ts';
import type { GenericStorage } from '../ports/generic-storage.port.ts';
import { isSettled, mayStillErase, SETTLE_MS, type Kept } from './kept.ts';

/** `later`: it is being deleted; try again after it has settled. */
export type Forgetting = 'gone' | 'held' | 'later';
export type Erasing = {
  /** Deletes what the thing is made of. May be called again, also for what was never there. `mayGoOn` is asked before every request. */
  readonly erase: (parts: readonly BlobHash[], mayGoOn: () => boolean) => ResultAsync<void, Unavailable>;
  /** Whether something of it is stored. After it was erased, a request to store it may still have come. */
  readonly isStored: (parts: readonly BlobHash[]) => ResultAsync<boolean, Unavailable>;
  /** What is erased has settled: called before the thing is gone for good. */
  readonly bury: (parts: readonly BlobHash[]) => ResultAsync<void, Unavailable>;
  /** False: the holder was forgotten to be let go. */
  readonly isHolding: (holder: string) => ResultAsync<boolean, Unavailable>;
};

/** Things that stay while they have a holder. Many processes may hold and erase, crash anywhere, and act late. */
export interface Keeping {
  /**
   * The thing stays from now on, until the holder lets go. What is not kept yet is kept with its `parts`, and answered
   * `new`: its content may be missing. Without `parts` nothing new is kept: the answer is `absent`. Fails in passing while
   * the thing is being forgotten.
   */
  hold(
    thing: string,
    holder: string,
    parts?: readonly BlobHash[],
  ): ResultAsync<'kept' | 'new' | 'absent', Unavailable>;
  /** What is not held is no less let go. The thing itself stays until it is forgotten. */
  letGo(thing: string, holder: string): ResultAsync<void, Unavailable>;
  /** False when nothing of it is left. A thing that is being deleted is still there: it may get a holder after all. */
  isThere(thing: string): ResultAsync<boolean, Unavailable>;
  /** Erases a thing that has no holder. It is gone for good only when a later call, after a pause, answers `gone`. */
  forget(thing: string, erasing: Erasing): ResultAsync<Forgetting, Unavailable>;
}

type Needs = {
  readonly storage: GenericStorage;
  readonly space: string;
  readonly codec: Codec<Kept>;
  readonly clock: Clock;
  readonly settleMs?: number;
};
type Row = { readonly kept: Kept; readonly version: number };

const HELD = Uint8Array.of(1);
const HOLDERS_PAGE = 100;
/** Another process keeps changing the same row: try again later. */
const ATTEMPTS_MAX = 5;

export const makeKeeping = ({ storage, space, codec, clock, settleMs = SETTLE_MS }: Needs): Keeping => {
  const holders = `${space}-holders`;
  const keyOf = (thing: string, holder: string): string => `${thing}/${holder}`;
  const rowOf = (thing: string): ResultAsync<Row | undefined, Unavailable> =>
    storage.get(space, [thing]).andThen(([found]) =>
      found
        ? codec
            .decode(found.value)
            .map((kept): Row | undefined => ({ kept, version: found.version }))
            .mapErr((cause) => unavailable(`${space} row`, cause, false))
        : ok(undefined),
    );
  /** The new version, or undefined if another process was faster. */
  const write = (thing: string, kept: Kept, expected: number): ResultAsync<number | undefined, Unavailable> =>
    storage
      .put(space, thing, codec.encode(kept), expected)
      .map((version): number | undefined => version)
      .orElse((error): Result<undefined, Unavailable> => {
        if (error.kind === 'VersionConflict') return ok(undefined);
        return err(error.kind === 'Unavailable' ? error : unavailable(`${space} put`, error, false));
      });

  /** Also overwrites an existing hold: a process that just took it for stale finds it changed. */
  const claim = async (key: string): Promise<Result<void, Unavailable>> => {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const found = await storage.get(holders, [key]);
      if (found.isErr()) return err(found.error);
      const put = await storage.put(holders, key, HELD, found.value[0]?.version ?? 0);
      if (put.isOk()) return ok(undefined);
      if (put.error.kind !== 'VersionConflict')
        return err(put.error.kind === 'Unavailable' ? put.error : unavailable('hold', put.error, false));
    }
    return err(unavailable(`${holders}: too many conflicts`));
  };
  const hold = async (
    thing: string,
    holder: string,
    parts: readonly BlobHash[] | undefined,
  ): Promise<Result<'kept' | 'new' | 'absent', Unavailable>> => {
    // First the hold, then the look: a forgetter marks first and looks for holds then, so one of the two sees the other.
    const claimed = await claim(keyOf(thing, holder));
    if (claimed.isErr()) return err(claimed.error);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const row = await rowOf(thing);
      if (row.isErr()) return err(row.error);
      const { kept, version } = row.value ?? { kept: undefined, version: 0 };
      if (kept && !kept.leaving) return ok('kept');
      if (kept?.leaving && !isSettled(kept.leaving, clock.nowMs(), settleMs))
        return err(unavailable(`${space}: it is being forgotten`));
      if (!parts) return ok('absent');
      const written = await write(thing, { parts, leaving: undefined }, version);
      if (written.isErr()) return err(written.error);
      if (written.value !== undefined) return ok('new');
    }
    return err(unavailable(`${space}: too many conflicts`));
  };
  const remove = (where: string, key: string, version: number): ResultAsync<void, Unavailable> =>
    storage
      .remove(where, key, version)
      .orElse((error) => (error.kind === 'Unavailable' ? err(error) : ok(undefined)));

  /** Removes stale holds until it finds a real one. */
  const isHeld = async (
    thing: string,
    isHolding: Erasing['isHolding'],
  ): Promise<Result<boolean, Unavailable>> => {
    const prefix = keyOf(thing, '');
    for (let after = prefix; ;) {
      const page = await storage.list(holders, { after, limit: HOLDERS_PAGE });
      if (page.isErr()) return err(page.error);
      const own = page.value.filter(({ key }) => key.startsWith(prefix));
      for (const { key, version } of own) {
        const holding = await isHolding(key.slice(prefix.length));
        if (holding.isErr()) return err(holding.error);
        if (holding.value) return ok(true);
        const removed = await remove(holders, key, version);
        if (removed.isErr()) return err(removed.error);
      }
      if (own.length < HOLDERS_PAGE) return ok(false);
      after = own.at(-1)!.key;
    }
  };
  const forget = async (
    thing: string,
    { erase, isStored, bury, isHolding }: Erasing,
  ): Promise<Result<Forgetting, Unavailable>> => {
    const row = await rowOf(thing);
    if (row.isErr()) return err(row.error);
    if (!row.value) return ok('gone');
    const { kept, version } = row.value;
    const nowMs = clock.nowMs();
    if (kept.leaving && !isSettled(kept.leaving, nowMs, settleMs)) return ok('later');
    if (kept.leaving?.erased) {
      const stored = await isStored(kept.parts);
      if (stored.isErr()) return err(stored.error);
      if (!stored.value) {
        const removed = await bury(kept.parts).andThen(() => remove(space, thing, version));
        return removed.map(() => 'gone');
      }
    }
    // Before the mark, lest a thing that is in use waits for nothing.
    const before = await isHeld(thing, isHolding);
    if (before.isErr()) return err(before.error);
    if (before.value) return ok('held');
    const leaving = { sinceMs: nowMs, erased: false };
    const marked = await write(thing, { ...kept, leaving }, version);
    if (marked.isErr()) return err(marked.error);
    if (marked.value === undefined) return ok('later');
    const after = await isHeld(thing, isHolding);
    if (after.isErr()) return err(after.error);
    if (after.value) {
      // The thing may be half deleted: its new holder restores it after it has settled.
      if (kept.leaving || !mayStillErase(leaving, clock.nowMs(), settleMs)) return ok('held');
      const back = await write(thing, kept, marked.value);
      return back.map(() => 'held');
    }
    const erased = await erase(kept.parts, () => mayStillErase(leaving, clock.nowMs(), settleMs));
    if (erased.isErr()) return err(erased.error);
    const noted = await write(
      thing,
      { ...kept, leaving: { sinceMs: clock.nowMs(), erased: true } },
      marked.value,
    );
    return noted.map(() => 'later');
  };

  return {
    hold: (thing, holder, parts) => new ResultAsync(hold(thing, holder, parts)),
    letGo: (thing, holder) =>
      storage
        .get(holders, [keyOf(thing, holder)])
        .andThen(([found]) =>
          found ? remove(holders, found.key, found.version) : ok<void, Unavailable>(undefined),
        ),
    isThere: (thing) => rowOf(thing).map((row) => row !== undefined && row.kept.leaving?.erased !== true),
    forget: (thing, erasing) => new ResultAsync(forget(thing, erasing)),
  };
};

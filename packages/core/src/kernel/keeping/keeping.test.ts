import { errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable, type BlobHash, type GenericStorage, type Unavailable } from '../index.ts';
import { inMemoryGenericStorage, jsonCodec, manualClock, memoryDatabase } from '../testing.ts';
import { SETTLE_MS, type Kept } from './kept.ts';
import { makeKeeping, type Erasing } from './keeping.ts';

const part = 'a'.repeat(64) as BlobHash;

const bench = (storageOf: (right: GenericStorage) => GenericStorage = (right) => right) => {
  const { clock, advance } = manualClock(1_000_000);
  const storage = inMemoryGenericStorage(memoryDatabase({ nowMs: clock.nowMs }));
  const made = { clock, space: 'things', codec: jsonCodec<Kept>('kept thing') };
  const erased: (readonly BlobHash[])[] = [];
  const erasing = (over: Partial<Erasing> = {}): Erasing => ({
    isHolding: () => okAsync(true),
    isStored: () => okAsync(false),
    bury: () => okAsync(undefined),
    erase: (parts) => {
      erased.push(parts);
      return okAsync(undefined);
    },
    ...over,
  });
  return {
    advance,
    erased,
    erasing,
    /** As another process sees it. */
    other: makeKeeping({ ...made, storage }),
    keeping: makeKeeping({ ...made, storage: storageOf(storage) }),
  };
};
/** Does something when the row of a thing was written so many times. */
const afterWrite =
  (times: number, what: () => ResultAsync<unknown, Unavailable>) =>
  (right: GenericStorage): GenericStorage => ({
    ...right,
    put: (space, key, value, expected) =>
      right.put(space, key, value, expected).andThen((version) =>
        space === 'things' && (times -= 1) === 0
          ? what()
              .map(() => version)
              .orElse(() => okAsync(version))
          : okAsync(version),
      ),
  });

describe('a thing', () => {
  test('[G9] is new to its first holder, and kept for the next', async () => {
    const { keeping } = bench();
    expect(await keeping.hold('t', 'a')).toEqual(ok('absent'));
    expect(await keeping.hold('t', 'a', [part])).toEqual(ok('new'));
    expect(await keeping.hold('t', 'b')).toEqual(ok('kept'));
    expect(await keeping.isThere('t')).toEqual(ok(true));
  });
  test('[G9] a thing that is held is not erased; an unknown one is gone', async () => {
    const { keeping, erasing, erased } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.hold('t', 'b');
    await keeping.letGo('t', 'a');
    await keeping.letGo('t', 'a');
    expect(await keeping.forget('t', erasing())).toEqual(ok('held'));
    expect(await keeping.forget('other', erasing())).toEqual(ok('gone'));
    expect(erased).toEqual([]);
  });
  test('[G9] a holder whose name only begins alike does not hold it', async () => {
    const { keeping, erasing } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.hold('t2', 'a', [part]);
    await keeping.letGo('t', 'a');
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
  });
  test('[G9] a thing without holders is erased, settles, and is gone', async () => {
    const { keeping, erasing, erased, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
    expect(erased).toEqual([[part]]);
    await advance(SETTLE_MS - 1);
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
    await advance(1);
    expect(await keeping.forget('t', erasing())).toEqual(ok('gone'));
    expect(erased).toHaveLength(1);
    expect(await keeping.isThere('t')).toEqual(ok(false));
  });
  test('[G9] a thing that was stored late, after it was erased, is erased again and settles once more', async () => {
    const { keeping, erasing, erased, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    await keeping.forget('t', erasing());
    await advance(SETTLE_MS);
    const asked: (readonly BlobHash[])[] = [];
    const isStored = (parts: readonly BlobHash[]) => {
      asked.push(parts);
      return okAsync(true);
    };
    expect(await keeping.forget('t', erasing({ isStored }))).toEqual(ok('later'));
    expect([asked, erased]).toEqual([[[part]], [[part], [part]]]);
    // Nothing new may be stored while requests to delete it may be on their way.
    expect((await keeping.hold('t', 'b', [part]))._unsafeUnwrapErr().retryable).toBe(true);
    await advance(SETTLE_MS - 1);
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
    await advance(1);
    expect(await keeping.forget('t', erasing())).toEqual(ok('gone'));
    expect(erased).toHaveLength(2);
  });
  test('[G9] a thing stays while it is not known whether something of it is stored', async () => {
    const { keeping, erasing, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    await keeping.forget('t', erasing());
    await advance(SETTLE_MS);
    const away = erasing({ isStored: () => errAsync(unavailable('disk')) });
    expect((await keeping.forget('t', away))._unsafeUnwrapErr().retryable).toBe(true);
    expect(await keeping.forget('t', erasing())).toEqual(ok('gone'));
  });
  test('[G9] that is leaving can’t be held, until it has settled; then it is new', async () => {
    const { keeping, erasing, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    await keeping.forget('t', erasing());
    expect((await keeping.hold('t', 'b', [part]))._unsafeUnwrapErr().retryable).toBe(true);
    expect(await keeping.isThere('t')).toEqual(ok(false));
    await advance(SETTLE_MS);
    expect(await keeping.hold('t', 'b', [part])).toEqual(ok('new'));
    expect(await keeping.forget('t', erasing())).toEqual(ok('held'));
  });
  test('[G9] more stale holds than one page are removed', async () => {
    const { keeping, erasing } = bench();
    await keeping.hold('t', 'live', [part]);
    for (let i = 0; i < 250; i++) await keeping.hold('t', `dead ${i}`);
    const isHolding = (holder: string) => okAsync(holder === 'live');
    expect(await keeping.forget('t', erasing({ isHolding }))).toEqual(ok('held'));
    expect(await keeping.forget('t', erasing({ isHolding: () => okAsync(false) }))).toEqual(ok('later'));
  });
});

describe('two at a time', () => {
  test('[G9] a hold between the mark and the look keeps the thing', async () => {
    const world = bench(afterWrite(1, () => world.other.hold('t', 'b', [part])));
    const { keeping, other, erasing, erased } = world;
    await other.hold('t', 'a', [part]);
    await other.letGo('t', 'a');
    expect(await keeping.forget('t', erasing())).toEqual(ok('held'));
    expect(erased).toEqual([]);
    expect(await other.hold('t', 'b')).toEqual(ok('kept'));
  });
  test('[G9] a run that died while it erased is taken over when it has settled', async () => {
    const { keeping, erasing, erased, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    const dying = erasing({ erase: () => errAsync(unavailable('disk')) });
    expect((await keeping.forget('t', dying)).isErr()).toBe(true);
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
    expect(erased).toEqual([]);
    await advance(SETTLE_MS);
    expect(await keeping.forget('t', erasing())).toEqual(ok('later'));
    expect(erased).toEqual([[part]]);
  });
  test('[G9] a holder that waits for a half-done deletion restores the thing, and it is not erased any more', async () => {
    const { keeping, erasing, erased, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    await keeping.forget('t', erasing({ erase: () => errAsync(unavailable('disk')) }));
    expect((await keeping.hold('t', 'b', [part])).isErr()).toBe(true);
    await advance(SETTLE_MS);
    expect(await keeping.forget('t', erasing())).toEqual(ok('held'));
    expect(await keeping.hold('t', 'b')).toEqual(ok('absent'));
    expect(await keeping.hold('t', 'b', [part])).toEqual(ok('new'));
    expect(erased).toEqual([]);
  });
  test('[G9] who was paused for too long erases nothing any more', async () => {
    const { keeping, erasing, advance } = bench();
    await keeping.hold('t', 'a', [part]);
    await keeping.letGo('t', 'a');
    const asked: boolean[] = [];
    const slow = erasing({
      erase: (_parts, mayGoOn) => {
        asked.push(mayGoOn());
        const pause = ResultAsync.fromSafePromise(advance(SETTLE_MS / 2));
        return pause.andThen(() => {
          asked.push(mayGoOn());
          return errAsync(unavailable('too late'));
        });
      },
    });
    await keeping.forget('t', slow);
    expect(asked).toEqual([true, false]);
  });
});

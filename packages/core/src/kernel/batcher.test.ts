import fc from 'fast-check';
import { err, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { makeBatcher, type BatcherOptions } from './batcher.ts';
import { unavailable } from './errors.ts';
import { manualClock } from './testing/manual-clock.ts';

type Item = { readonly id: number; readonly bytes: number };
type Refused = { readonly kind: 'Refused'; readonly id: number };
type Answer = Result<readonly Result<string, Refused>[], Refused>;
type Flush = { readonly items: readonly Item[]; readonly atMs: number; readonly end: (how: Ending) => void };
type Ending = 'each its own' | 'all fail' | 'throw' | 'short';

const own = ({ id }: Item): Result<string, Refused> =>
  id % 3 === 0 ? err({ kind: 'Refused', id }) : ok(`done ${id}`);

/** A batcher whose flushes end when the test says so. */
const setUp = (limits: Partial<BatcherOptions<Item, string, Refused>> = {}) => {
  const { clock, advance, pending } = manualClock();
  const flushes: Flush[] = [];
  const open = new Set<Flush>();
  const batcher = makeBatcher<Item, string, Refused>({
    name: 'offers',
    clock,
    countMax: 3,
    bytesMax: 10,
    bytesOf: ({ bytes }) => bytes,
    lingerMs: 5,
    waitingMax: 8,
    flush: (items) => {
      const answer = new Promise<Answer>((resolve, reject) => {
        const end = (how: Ending): void => {
          open.delete(flush);
          if (how === 'each its own') resolve(ok(items.map(own)));
          if (how === 'all fail') resolve(err({ kind: 'Refused', id: -1 }));
          if (how === 'short') resolve(ok(items.slice(1).map(own)));
          if (how === 'throw') reject(new Error('boom'));
        };
        const flush = { items, atMs: clock.nowMs(), end };
        flushes.push(flush);
        open.add(flush);
      });
      return new ResultAsync(answer);
    },
    ...limits,
  });
  return { batcher, advance, pending, flushes, open, clock };
};
const item = (id: number, bytes = 1): Item => ({ id, bytes });
const idsOf = (flushes: readonly Flush[]): number[][] =>
  flushes.map(({ items }) => items.map(({ id }) => id));

type Move =
  | { readonly kind: 'add'; readonly bytes: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'end'; readonly which: number; readonly how: Ending };
const anyMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), bytes: fc.nat(14) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(6) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      which: fc.nat(5),
      how: fc.constantFrom<Ending>('each its own', 'all fail', 'throw', 'short'),
    }),
  },
);
type Limits = Record<'countMax' | 'bytesMax' | 'lingerMs' | 'waitingMax' | 'flushesMax', number>;
const anyLimits: fc.Arbitrary<Limits> = fc.record({
  countMax: fc.integer({ min: 1, max: 4 }),
  bytesMax: fc.integer({ min: 5, max: 20 }),
  lingerMs: fc.nat(8),
  waitingMax: fc.integer({ min: 1, max: 9 }),
  flushesMax: fc.integer({ min: 1, max: 3 }),
});

test('[B3] every item is flushed once, in order, within all limits', async () => {
  const law = async (limits: Limits, moves: readonly Move[]): Promise<void> => {
    const { batcher, advance, pending, flushes, open, clock } = setUp(limits);
    const accepted: {
      readonly item: Item;
      readonly atMs: number;
      outcome?: Result<string, { kind: string }>;
    }[] = [];
    const endings = new Map<number, Ending>();
    const end = (flush: Flush, how: Ending): void => {
      for (const { id } of flush.items) endings.set(id, how);
      flush.end(how);
    };
    const checkBounds = (): void => {
      const sent = flushes.reduce((sum, { items }) => sum + items.length, 0);
      expect(batcher.waiting()).toBe(accepted.length - sent);
      expect(batcher.waiting()).toBeLessThanOrEqual(limits.waitingMax);
      expect(open.size).toBeLessThanOrEqual(limits.flushesMax);
      const oldest = accepted[sent];
      const mayFlush = open.size < limits.flushesMax;
      if (oldest && mayFlush) expect(clock.nowMs() - oldest.atMs).toBeLessThanOrEqual(limits.lingerMs);
    };
    for (const [id, move] of moves.entries()) {
      if (move.kind === 'add') {
        const full = batcher.waiting() >= limits.waitingMax;
        const entry: (typeof accepted)[number] = { item: item(id, move.bytes), atMs: clock.nowMs() };
        if (!full) accepted.push(entry);
        const outcome = batcher.add(entry.item);
        if (full) expect(await outcome).toMatchObject(err({ kind: 'Unavailable', retryable: true }));
        else void outcome.then((told) => (entry.outcome = told));
      }
      if (move.kind === 'end' && open.size > 0) end([...open][move.which % open.size]!, move.how);
      await advance(move.kind === 'pass' ? move.ms : 0);
      checkBounds();
    }
    let closed = false;
    void batcher.close().then(() => (closed = true));
    expect(await batcher.add(item(-1))).toEqual(err(unavailable('offers is closed', undefined, false)));
    for (await advance(0); open.size > 0; await advance(0)) {
      expect(closed).toBe(false);
      end([...open][0]!, 'each its own');
    }
    expect([closed, pending(), batcher.waiting()]).toEqual([true, 0, 0]);

    expect(flushes.flatMap(({ items }) => items)).toEqual(accepted.map((entry) => entry.item));
    for (const { items } of flushes) {
      expect(items.length).toBeLessThanOrEqual(limits.countMax);
      const bytes = items.reduce((sum, each) => sum + each.bytes, 0);
      expect(items.length === 1 || bytes <= limits.bytesMax).toBe(true);
    }
    for (const entry of accepted) {
      const ending = endings.get(entry.item.id);
      if (ending === 'each its own') expect(entry.outcome).toEqual(own(entry.item));
      else if (ending === 'all fail') expect(entry.outcome).toEqual(err({ kind: 'Refused', id: -1 }));
      else expect(entry.outcome).toMatchObject(err({ kind: 'Unavailable', retryable: true }));
    }
  };
  await fc.assert(fc.asyncProperty(anyLimits, fc.array(anyMove, { maxLength: 40 }), law), { numRuns: 1_000 });
});

test('[B3] a batch is flushed when it has the maximal count', async () => {
  const { batcher, advance, flushes } = setUp();
  for (const id of [1, 2, 3, 4]) void batcher.add(item(id));
  await advance(0);
  expect(idsOf(flushes)).toEqual([[1, 2, 3]]);
});

test('[B3] a batch is flushed before an item that would make it too large, and an oversize item is flushed alone', async () => {
  const { batcher, advance, flushes } = setUp({ flushesMax: 9 });
  [4, 4, 3, 50, 1].forEach((bytes, id) => void batcher.add(item(id, bytes)));
  await advance(5);
  expect(idsOf(flushes)).toEqual([[0, 1], [2], [3], [4]]);
});

test('[B3] a batch is flushed when its first item has waited long enough', async () => {
  const { batcher, advance, flushes } = setUp();
  void batcher.add(item(1));
  await advance(4);
  void batcher.add(item(2));
  await advance(1);
  expect(flushes.map(({ items, atMs }) => [items.length, atMs])).toEqual([[2, 5]]);
});

test('[B3] the next batch grows while no flush can start', async () => {
  const { batcher, advance, flushes } = setUp();
  void batcher.add(item(1));
  await advance(5);
  void batcher.add(item(2));
  await advance(20);
  void batcher.add(item(4));
  expect(idsOf(flushes)).toEqual([[1]]);
  flushes[0]!.end('each its own');
  await advance(0);
  expect(idsOf(flushes)).toEqual([[1], [2, 4]]);
});

describe('a batcher that waits only when it is busy', () => {
  const busy = { fromCount: 2, forMs: 5, countMin: 3, waitMs: 2 };
  const begun = (flushes: readonly Flush[]) =>
    flushes.map(({ items, atMs }) => [items.map(({ id }) => id), atMs]);
  const start = () => {
    const set = setUp({ lingerMs: 0, flushesMax: 9, busy });
    const endAll = async (): Promise<void> => {
      for (const flush of set.open) flush.end('each its own');
      await set.advance(0);
    };
    return { ...set, endAll };
  };
  test('[B3] a single caller that adds one item after another never waits', async () => {
    const { batcher, advance, flushes, endAll } = start();
    for (const id of [1, 2, 4]) {
      void batcher.add(item(id));
      await advance(1);
      await endAll();
    }
    expect(begun(flushes)).toEqual([
      [[1], 0],
      [[2], 1],
      [[4], 2],
    ]);
  });
  test('[B3] during a running flush a small batch waits for more items, up to the limit', async () => {
    const { batcher, advance, flushes } = start();
    void batcher.add(item(1));
    await advance(1);
    void batcher.add(item(2));
    await advance(10);
    expect(begun(flushes)).toEqual([
      [[1], 0],
      [[2], 3],
    ]);
  });
  test('[B3] a waiting batch is flushed when the running flush ends', async () => {
    const { batcher, advance, flushes, endAll } = start();
    void batcher.add(item(1));
    await advance(0);
    void batcher.add(item(2));
    await advance(1);
    await endAll();
    expect(begun(flushes)).toEqual([
      [[1], 0],
      [[2], 1],
    ]);
  });
  test('[B3] after a large batch the next one waits until it has enough items', async () => {
    const { batcher, advance, flushes, endAll } = start();
    for (const id of [1, 2]) void batcher.add(item(id));
    await advance(1);
    await endAll();
    for (const id of [4, 8]) void batcher.add(item(id));
    await advance(1);
    expect(flushes).toHaveLength(1);
    void batcher.add(item(16));
    await advance(0);
    expect(begun(flushes)).toEqual([
      [[1, 2], 0],
      [[4, 8, 16], 2],
    ]);
    await advance(6);
    await endAll();
    void batcher.add(item(32));
    await advance(0);
    expect(begun(flushes).at(-1)).toEqual([[32], 8]);
  });
  test('[B3] closing does not wait for more items', async () => {
    const { batcher, advance, flushes, endAll } = start();
    void batcher.add(item(1));
    await advance(0);
    void batcher.add(item(2));
    const closed = batcher.close();
    expect(begun(flushes)).toEqual([
      [[1], 0],
      [[2], 0],
    ]);
    await endAll();
    await closed;
  });
});

test('[B3] a flush that throws fails its batch, and the next batch works', async () => {
  let calls = 0;
  const { batcher, advance } = setUp({
    flush: (items) => {
      if (++calls === 1) throw new Error('boom');
      return okAsync(items.map(own));
    },
  });
  const first = batcher.add(item(1));
  const second = batcher.add(item(2));
  await advance(5);
  expect(await first).toMatchObject(err({ kind: 'Unavailable', what: 'offers: flush threw' }));
  expect((await second).isErr()).toBe(true);
  const third = batcher.add(item(4));
  await advance(5);
  expect(await third).toEqual(ok('done 4'));
});

test('[B3] closing an idle batcher, or closing twice, resolves at once', async () => {
  const { batcher } = setUp();
  await batcher.close();
  await batcher.close();
});

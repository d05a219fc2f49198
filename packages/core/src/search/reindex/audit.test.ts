import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { OfferId } from '../../gost/index.ts';
import { unavailable } from '../../kernel/index.ts';
import { direct, type Io } from '../../kernel/testing.ts';
import { defaultSearchSettings } from '../settings.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { openWorld, viewOf } from '../testing/search-world.ts';
import { noAudit, slicesDue, type AuditState } from './audit-walk.ts';

const DAY_MS = 86_400_000;
const pace = { everyMs: 60_000, walkMs: 7 * DAY_MS };
const at = (slices: number, startedAtMs: number, lastSlices?: number): AuditState => ({
  walk: { epoch: 1, cursor: 'x', startedAtMs, slices, differences: 0 },
  last: lastSlices === undefined ? undefined : { slices: lastSlices, differences: 0, finishedAtMs: 0 },
});

describe('the slices of a run', () => {
  test.each<[string, AuditState, number, number]>([
    ['one before a walk has begun', noAudit, 0, 1],
    ['one while no walk has ended yet', at(500, 0), 0, 1],
    ['one at the beginning of a walk', at(0, 0, 3), 0, 1],
    ['none if the walk is ahead of its time', at(1, 0, 3), DAY_MS, 0],
    ['the next one when its time has come', at(1, 0, 3), 3 * DAY_MS, 1],
    ['many if there is much to walk through', at(0, 0, 1_008_000), 0, 100],
    ['what was left out while the process was away', at(10, 0, 700), DAY_MS, 91],
    ['but not too many at once', at(0, 0, 100_000), 6 * DAY_MS, 200],
    ['one behind the length of the walk before', at(700, 0, 700), 8 * DAY_MS, 1],
    ['one if the clock went back', at(5, 10 * DAY_MS, 700), 0, 0],
  ])('[S10] are %s', (_, state, nowMs, due) => {
    expect(slicesDue(state, pace, nowMs)).toBe(due);
  });
  test('[S10] end a walk within its days, however many there are', () => {
    for (const total of [1, 7, 1_000, 30_000]) {
      let state = at(0, 0, total);
      let nowMs = 0;
      for (; state.walk!.slices < total; nowMs += pace.everyMs)
        state = at(state.walk!.slices + slicesDue(state, pace, nowMs), 0, total);
      expect(nowMs).toBeLessThanOrEqual(pace.walkMs);
    }
  });
});

describe('the audit', () => {
  const ids = [1, 2, 3, 4, 5].map(sampleOffer) as readonly OfferId[];
  const [missing, old, , ghost] = ids as [OfferId, OfferId, OfferId, OfferId];
  const open = ({ repairs = true, io }: { repairs?: boolean; io?: Io } = {}) => {
    const index: Record<string, number> = Object.fromEntries(ids.map((id) => [id, 500]));
    delete index[missing];
    index[old] = 400;
    const world = openWorld({
      settings: { audit: { ...defaultSearchSettings.audit!, repairs } },
      ...(io ? { io } : {}),
      ports: {
        indexed: {
          page: () =>
            okAsync({
              offers: Object.entries(index).map(([pk, version]) => ({ pk, version })),
              next: undefined,
            }),
          versions: () => okAsync(new Map(Object.entries(index))),
        },
      },
    });
    for (const id of ids) if (id !== ghost) world.world.offers.set(id, viewOf(id));
    const run = (of: Pick<typeof world, 'auditJob'> = world) =>
      of.auditJob!.run({ token: 1, signal: new AbortController().signal });
    return { ...world, run };
  };
  test('[S10] walks through offers and documents, run by run, and sends what differs', async () => {
    const world = open();
    expect((await world.run())._unsafeUnwrap()).toBe('1 slices compared; in slice 1, 2 differences');
    expect((await world.run())._unsafeUnwrap()).toBe(
      '1 slices compared; a walk of 2 slices ended with 3 differences',
    );
    expect(world.bulk().map(({ pk, event }) => [pk, event])).toEqual([
      [missing, 'upsert'],
      [old, 'upsert'],
      [ghost, 'delete'],
    ]);
  });
  test('[S10] only tells if it does not repair', async () => {
    const world = open({ repairs: false });
    await world.run();
    expect((await world.run())._unsafeUnwrap()).toContain('3 differences');
    expect(world.bulk()).toEqual([]);
  });
  test('[S10] goes on in another process where it stopped', async () => {
    const world = open();
    await world.run();
    expect((await world.run(world.reopen()))._unsafeUnwrap()).toContain('a walk of 2 slices ended');
  });
  test('[S10] repeats a slice whose documents could not be written', async () => {
    const world = open();
    world.world.isLogAway = true;
    expect((await world.run()).isErr()).toBe(true);
    world.world.isLogAway = false;
    expect((await world.run())._unsafeUnwrap()).toBe('1 slices compared; in slice 1, 2 differences');
  });
  test('[S10] begins anew when another epoch serves', async () => {
    const world = open();
    await world.run();
    world.world.epochs = [2];
    await world.time.advance(60_000);
    expect((await world.run())._unsafeUnwrap()).toBe('1 slices compared; in slice 1, 2 differences');
    expect(world.bulk().at(-1)).toMatchObject({ epoch: 2 });
  });
  test('[S10] fails if its place can not be stored, and does not lose the slice', async () => {
    let isAway = false;
    const io: Io = (op, work) =>
      isAway && op.name === 'storage.put' ? errAsync(unavailable('storage')) : direct(op, work);
    const world = open({ io });
    isAway = true;
    expect((await world.run()).isErr()).toBe(true);
    isAway = false;
    expect((await world.run())._unsafeUnwrap()).toContain('in slice 1, 2 differences');
  });
});

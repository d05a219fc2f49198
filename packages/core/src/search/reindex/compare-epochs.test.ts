import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import { sampleOffer } from '../testing/ctr-stores.contract.ts';
import { openWorld, viewOf } from '../testing/search-world.ts';
import type { ReindexFinding } from './reindex-slice.ts';

const [a, b, c, gone] = [1, 2, 3, 4].map(sampleOffer) as [OfferId, OfferId, OfferId, OfferId];

/** Epoch 1 serves, epoch 2 is built. The index has what was sent. */
const open = (offers: readonly OfferView[], index: Record<1 | 2, Record<string, number>>) => {
  const apply = (documents: readonly RawDocument[]): void => {
    for (const { pk, epoch, event, version } of documents) {
      const rows = index[epoch as 1 | 2];
      if (event === 'upsert') rows[pk] = Math.max(version, rows[pk] ?? 0);
      else if ((rows[pk] ?? 0) <= version) delete rows[pk];
    }
  };
  const world = openWorld({
    ports: {
      epochs: {
        living: () =>
          okAsync([
            { epoch: 1, state: 'serving' as const, schema: { number: 0, fields: {} } },
            { epoch: 2, state: 'building' as const, schema: { number: 0, fields: {} } },
          ]),
        declare: () => okAsync(undefined),
      },
      indexed: {
        page: (epoch, cursor) => {
          const rows = Object.entries(index[epoch as 1 | 2]).map(([pk, version]) => ({ pk, version }));
          const from = Number(cursor);
          return okAsync({
            offers: rows.slice(from, from + 2),
            next: from + 2 < rows.length ? String(from + 2) : undefined,
          });
        },
        versions: (epoch, pks) =>
          okAsync(new Map(Object.entries(index[epoch as 1 | 2]).filter(([pk]) => pks.includes(pk)))),
      },
    },
  });
  for (const view of offers) world.world.offers.set(view.id, view);
  let applied = 0;
  /** Walks to the end, and lets something happen when the comparison begins its rounds. */
  const reindex = async (onRound: (round: number) => void = () => {}) => {
    const findings: ReindexFinding[] = [];
    const rounds = new Set<number>();
    let waitedMs = 0;
    for (let cursor = ''; ;) {
      const request = { mode: 'reindex', epoch: 2, category: undefined, cursor } as const;
      const slice = (await world.reindexOffers(request))._unsafeUnwrap();
      findings.push(...slice.findings);
      apply(world.bulk().slice(applied));
      applied = world.bulk().length;
      cursor = slice.nextCursor;
      if (cursor === '') return { findings, rounds: rounds.size, waitedMs };
      const round = Number(/^compare\/\d+\/\d+\/(\d+)/.exec(cursor)?.[1] ?? 0);
      if (round > 0 && !rounds.has(round)) {
        rounds.add(round);
        onRound(round);
      }
      waitedMs += slice.waitMs;
      await world.time.advance(slice.waitMs);
    }
  };
  return { ...world, index, reindex };
};

test('[S10] a re-index of a building epoch ends when two rounds of comparison find no difference', async () => {
  const world = open([viewOf(a), viewOf(b)], { 1: { [a]: 500, [b]: 500 }, 2: {} });
  const { findings, rounds, waitedMs } = await world.reindex();
  expect([findings, rounds, waitedMs]).toEqual([[], 2, 20_000]);
  expect(world.index[2]).toEqual({ [a]: 500, [b]: 500 });
});

test('[S10] what a scheduler wrote to the serving epoch alone, because it heard late of the other one, is sent again', async () => {
  const world = open([viewOf(a), viewOf(b)], { 1: { [a]: 500, [b]: 500 }, 2: {} });
  const { findings, rounds } = await world.reindex((round) => {
    if (round !== 1) return;
    world.world.offers.set(a, viewOf(a, { updatedAtUs: 600 }));
    world.index[1][a] = 600;
    world.world.offers.set(c, viewOf(c));
    world.index[1][c] = 500;
    // It was banned after the re-index had sent it; the deletion went to the serving epoch alone.
    world.world.offers.set(b, viewOf(b, { status: 'banned', updatedAtUs: 700 }));
    delete world.index[1][b];
  });
  expect(findings.map(({ offerId, kind, epoch }) => [offerId, kind, epoch])).toEqual([
    [a, 'missing', 2],
    [c, 'missing', 2],
    [b, 'ghost', 2],
  ]);
  expect(rounds).toBe(3);
  expect(world.index[2]).toEqual(world.index[1]);
});

test('[S10] a difference in the second round begins the count of clean rounds anew', async () => {
  const world = open([viewOf(a)], { 1: { [a]: 500 }, 2: {} });
  const { rounds } = await world.reindex((round) => {
    if (round !== 2) return;
    world.world.offers.set(a, viewOf(a, { updatedAtUs: 900 }));
    world.index[1][a] = 900;
  });
  expect(rounds).toBe(4);
  expect(world.index[2]).toEqual({ [a]: 900 });
});

test('[S10] an offer that can not be converted is told, and does not keep the comparison from its end', async () => {
  const broken = viewOf(a, { category: 'no-such' as CategoryId });
  const world = open([broken, viewOf(b)], { 1: { [a]: 500, [b]: 500 }, 2: {} });
  const { findings, rounds } = await world.reindex();
  expect(new Set(findings.map(({ offerId, kind }) => `${kind} ${offerId}`))).toEqual(
    new Set([`failed ${a}`]),
  );
  expect(rounds).toBe(2);
});

test('[S10] a comparison that never becomes clean ends and says so', async () => {
  const world = open([viewOf(a)], { 1: { [a]: 500 }, 2: {} });
  let version = 500;
  const { findings } = await world.reindex(() => {
    version++;
    world.world.offers.set(a, viewOf(a, { updatedAtUs: version }));
    world.index[1][a] = version;
  });
  expect(findings.at(-1)).toEqual({
    offerId: '',
    kind: 'failed',
    epoch: 2,
    reason: 'the epochs still differ after 50 rounds',
  });
});

test('[S10] a change that is on its way to both epochs is no difference', async () => {
  const world = open([viewOf(a), viewOf(b)], { 1: { [a]: 500, [b]: 500, [gone]: 1 }, 2: {} });
  const { findings, rounds } = await world.reindex((round) => {
    // It arrives in the building epoch a little later.
    if (round === 2) world.index[2][a] = world.index[1][a]!;
    if (round !== 1) return;
    // When the round begins.
    const youngUs = (world.time.nowMs() + 10_000) * 1_000;
    world.world.offers.set(a, viewOf(a, { updatedAtUs: youngUs }));
    world.index[1][a] = youngUs;
  });
  expect(findings).toEqual([]);
  expect(rounds).toBe(2);
});

test('[S10] a change that went to the serving epoch alone is sent, however soon after the re-index began it came', async () => {
  for (const lateMs of [0, 1_500, 9_999]) {
    const world = open([viewOf(a), viewOf(b)], { 1: { [a]: 500, [b]: 500 }, 2: {} });
    const { findings } = await world.reindex((round) => {
      if (round !== 1) return;
      const updatedAtUs = (world.time.nowMs() + lateMs) * 1_000;
      world.world.offers.set(a, viewOf(a, { updatedAtUs }));
      world.index[1][a] = updatedAtUs;
    });
    expect(findings.map(({ offerId, kind }) => [offerId, kind])).toEqual([[a, 'missing']]);
    expect(world.index[2]).toEqual(world.index[1]);
  }
});

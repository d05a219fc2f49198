import { err, ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobHash } from '../../kernel/index.ts';
import { archiveMoveOf, type ArchiveMove, type ArchivePointer } from '../archive/archiving.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import { alteration, publication, type GostHarness, type GostStores } from './gost-stores.ts';
import { DAY_US, sampleContent, sampleOfferId, sampleSeller } from './samples.ts';

const conflict = err({ kind: 'Conflict' });
const SHARDS = 4;
const seller = sampleSeller();
const segment = (n: number): BlobHash => n.toString(16).padStart(64, '0') as BlobHash;
const late = 1_000_000_000 + 31 * DAY_US;
const moveOf = (offer: Offer, n: number, archivedAtUs = 77): ArchiveMove => {
  const place = { segment: segment(n), offset: offer.version * 10, length: 9, archivedAtUs };
  return archiveMoveOf(offer, place, { shards: SHARDS, stripe: 2 });
};
const byId = (list: readonly ArchivePointer[]): ArchivePointer[] =>
  [...list].sort((a, b) => (a.offerId < b.offerId ? -1 : 1));
const pointersOf = (...moves: readonly ArchiveMove[]): ArchivePointer[] =>
  byId(moves.map(({ pointer }) => pointer));

export const offerArchiveContract = (backend: string, { open }: GostHarness): void => {
  describe(`OfferArchive contract: ${backend}`, () => {
    let stores: GostStores, again: () => GostStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, again, close } = await open()));
    afterEach(() => close());
    const commit = async (...changes: OfferChange[]) => {
      for (const change of changes)
        (await stores.offers.commit([{ changes: [change] }]))._unsafeUnwrap()[0]!._unsafeUnwrap();
    };
    /** Offers 1, 2, …: sold, expired, banned and sold elsewhere, removed, in turn; and one that is active. */
    const retired = async (count = 4): Promise<Offer[]> => {
      const offers: Offer[] = [];
      for (let n = 1; n <= count; n++) {
        const made = publication(n, { shards: SHARDS });
        const end = (
          [
            { kind: 'sell', onPlatform: true },
            { kind: 'expire' },
            { kind: 'sell', onPlatform: false },
          ] as const
        )[(n - 1) % 4] ?? { kind: 'remove' as const };
        const ended = alteration(made.offer, end, { shards: SHARDS, nowUs: late + n });
        await commit(made, ended);
        offers.push(ended.offer);
        if (n % 4 !== 3) continue;
        const ban = { kind: 'ban', editable: true, reasons: ['r'], opinionVersion: 1 } as const;
        const banned = alteration(ended.offer, ban, { shards: SHARDS });
        await commit(banned);
        offers[n - 1] = banned.offer;
      }
      await commit(publication(99, { shards: SHARDS }));
      return offers;
    };
    const move = async (...moves: ArchiveMove[]) => (await stores.archive.move(moves))._unsafeUnwrap();
    const find = async (...ns: number[]) =>
      byId((await again().archive.find(ns.map(sampleOfferId)))._unsafeUnwrap());
    const live = async (...ns: number[]) =>
      (await again().offers.load(ns.map(sampleOfferId)))._unsafeUnwrap().length;
    const due = async () => {
      const shards = await Promise.all(
        [0, 1, 2, 3].map((shard) => stores.timers.due('archive', shard, Number.MAX_SAFE_INTEGER, 100)),
      );
      return shards.flatMap((keys) => keys._unsafeUnwrap()).map(({ offerId }) => offerId);
    };

    test('[G17] due offers are listed by shard and kind, longest retired first', async () => {
      const [a, b] = [1, 2].map((n) => publication(n, { shards: 1, nowUs: n * 1_000 }));
      const ended = [a!, b!].map(({ offer }, n) =>
        alteration(offer, { kind: 'remove' }, { shards: 1, nowUs: 9_000 - n }),
      );
      await commit(a!, b!, ...ended);
      const told = async (untilUs: number, limit = 10) =>
        (await stores.timers.due('archive', 0, untilUs, limit))._unsafeUnwrap();
      expect(await told(8_998)).toEqual([]);
      expect((await told(9_000)).map(({ offerId, atUs }) => [offerId, atUs])).toEqual([
        [b!.offer.id, 8_999],
        [a!.offer.id, 9_000],
      ]);
      expect(await told(9_000, 1)).toHaveLength(1);
      expect(await stores.timers.due('expiry', 0, Number.MAX_SAFE_INTEGER, 10)).toEqual(ok([]));
      expect(await stores.timers.due('archive', 1, 9_000, 10)).toEqual(ok([]));
    });
    test('[G17] a moved offer leaves the store with its history, lists, totals and timer, and is found in the archive', async () => {
      const offers = await retired();
      const before = (await stores.cabinet.totals(seller))._unsafeUnwrap();
      const queued = async () =>
        (await Promise.all([0, 1, 2, 3].map((shard) => stores.queue.read(shard, 100)))).flatMap((rows) =>
          rows._unsafeUnwrap(),
        );
      const waiting = await queued();
      const moves = offers.map((offer) => moveOf(offer, 1));
      expect(await move(...moves)).toEqual([]);
      expect(await find(1, 2, 3, 4, 99)).toEqual(pointersOf(...moves));
      expect(await live(1, 2, 3, 4)).toBe(0);
      for (const { id } of offers) expect(await stores.offers.history(id, { limit: 9 })).toEqual(ok([]));
      expect(await due()).toEqual([]);
      expect((await stores.cabinet.counts(seller))._unsafeUnwrap()).toEqual({
        all: 1,
        active: 1,
        inactive: 0,
        banned: 0,
        sold: 0,
      });
      expect((await stores.cabinet.page({ seller, preset: 'all', limit: 9 }))._unsafeUnwrap()).toHaveLength(
        1,
      );
      // Sales stay, and so does what is queued.
      expect(before).toMatchObject({
        Active: 1,
        Expired: 1,
        Banned: 1,
        Sold: 1,
        MoneyEarned: { RUB: 100_000 },
      });
      expect((await stores.cabinet.totals(seller))._unsafeUnwrap()).toEqual({
        ...before,
        Expired: 0,
        Banned: 0,
      });
      expect(await stores.cabinet.repairTotals(seller)).toEqual(ok([]));
      expect(await queued()).toEqual(waiting);
      const scanned = await stores.scan.scan({ from: 0, to: 2 ** 32 }, 100);
      expect(scanned._unsafeUnwrap().offers.map(({ id }) => id)).toEqual([sampleOfferId(99)]);
      expect((await stores.scan.ofSeller(seller, { limit: 9 }))._unsafeUnwrap()).toHaveLength(1);
    });
    test('[G17] if one offer has changed, nothing moves and that offer is named', async () => {
      const [a, b, c] = await retired(3);
      const counts = (await stores.cabinet.counts(seller))._unsafeUnwrap();
      await commit(
        alteration(b!, { kind: 'edit', content: sampleContent({ title: 'Lada, red' }) }, { shards: SHARDS }),
      );
      expect(await move(moveOf(a!, 1), moveOf(b!, 1), moveOf(c!, 1))).toEqual([b!.id]);
      expect([await find(1, 2, 3), await live(1, 2, 3)]).toEqual([[], 3]);
      expect((await stores.cabinet.counts(seller))._unsafeUnwrap()).toEqual(counts);
      expect(await due()).toHaveLength(3);
      expect(await move(moveOf(a!, 2), moveOf(c!, 2))).toEqual([]);
      expect([(await find(1, 2, 3)).length, await live(1, 2, 3)]).toEqual([2, 1]);
      // Again: it is there no more.
      expect(await move(moveOf(a!, 3))).toEqual([a!.id]);
      expect(await find(1)).toEqual(pointersOf(moveOf(a!, 2)));
    });
    test('[G17] of a move and a change at the same time one wins', async () => {
      const offers = await retired(8);
      const outcomes = await Promise.all(
        offers.map(async (offer, n) => {
          const bring = alteration(offer, { kind: 'erase', by: 'operator' }, { shards: SHARDS });
          const [moved, changed] = await Promise.all([
            again().archive.move([moveOf(offer, n)]),
            again().offers.commit([{ changes: [bring] }]),
          ]);
          return [moved._unsafeUnwrap().length === 0, changed._unsafeUnwrap()[0]!.isOk()];
        }),
      );
      for (const [moved, changed] of outcomes) expect(moved).toBe(!changed);
      const archived = await find(1, 2, 3, 4, 5, 6, 7, 8);
      expect(archived.length).toBe(outcomes.filter(([moved]) => moved).length);
      expect(archived.length + (await live(1, 2, 3, 4, 5, 6, 7, 8))).toBe(8);
    });
    test('[G3] [G17] the id of an archived offer stays taken', async () => {
      const [offer] = await retired(1);
      await move(moveOf(offer!, 1));
      const taken = publication(1, { seller: sampleSeller(2), shards: SHARDS });
      expect(await stores.offers.commit([{ changes: [taken] }])).toEqual(ok([conflict]));
      expect(await live(1)).toBe(0);
      expect((await stores.cabinet.counts(sampleSeller(2)))._unsafeUnwrap().all).toBe(0);
    });
    test('[G6] [G17] a running repair counts lines that leave once, on both sides of its cursor', async () => {
      const list = { seller, preset: 'all' } as const;
      const made = Array.from({ length: 6 }, (_, n) =>
        publication(n + 1, { nowUs: (n + 1) * 10, shards: SHARDS }),
      );
      const sold = made.map(({ offer }) =>
        alteration(offer, { kind: 'sell', onPlatform: false }, { shards: SHARDS }),
      );
      await commit(...made, ...sold);
      expect(await stores.cabinet.repairStep(list, 3)).toEqual(ok({ done: false }));
      expect(await move(moveOf(sold[5]!.offer, 1), moveOf(sold[0]!.offer, 1))).toEqual([]);
      expect(await stores.cabinet.repairStep(list, 3)).toEqual(ok({ done: true, counted: 4, drift: 0 }));
      expect((await stores.cabinet.counts(seller))._unsafeUnwrap()).toMatchObject({ all: 4, sold: 4 });
    });
    test('[G16] [G17] archived offers of a seller are listed in the order of their ids, in pages', async () => {
      const offers = await retired(5);
      const other = publication(6, { seller: sampleSeller(2), shards: SHARDS });
      const gone = alteration(other.offer, { kind: 'remove' }, { shards: SHARDS });
      await commit(other, gone);
      const moves = [...offers, gone.offer].map((offer, n) => moveOf(offer, n % 2));
      for (const one of moves) await move(one);
      const seen: ArchivePointer[] = [];
      for (let last: ArchivePointer | undefined; ;) {
        const page = await stores.archive.ofSeller(seller, {
          limit: 2,
          ...(last ? { after: last.offerId } : {}),
        });
        seen.push(...page._unsafeUnwrap());
        last = page._unsafeUnwrap().at(-1);
        if (!last) break;
      }
      expect(seen).toEqual(pointersOf(...moves.slice(0, 5)));
    });
    test('[G17] the offers of a segment are listed; of many segments the used ones are listed', async () => {
      const offers = await retired(3);
      const moves = [moveOf(offers[0]!, 1), moveOf(offers[1]!, 1)];
      await move(...moves);
      await move(moveOf(offers[2]!, 2));
      expect(byId((await stores.archive.ofSegment(segment(1)))._unsafeUnwrap())).toEqual(
        pointersOf(...moves),
      );
      expect(await stores.archive.ofSegment(segment(3))).toEqual(ok([]));
      const named = (await stores.archive.named([1, 2, 3].map(segment)))._unsafeUnwrap();
      expect([...named].sort()).toEqual([segment(1), segment(2)]);
      expect(await stores.archive.named([])).toEqual(ok([]));
      expect(await stores.archive.find([])).toEqual(ok([]));
    });
    test('[G17] nothing moves into a condemned segment; a used segment is not condemned', async () => {
      const [a, b] = await retired(2);
      expect(await stores.archive.condemn(segment(1))).toEqual(ok(true));
      expect(await stores.archive.condemn(segment(1))).toEqual(ok(true));
      expect(await move(moveOf(a!, 1), moveOf(b!, 1))).toEqual([a!.id, b!.id]);
      expect([await find(1, 2), await live(1, 2)]).toEqual([[], 2]);
      expect(await move(moveOf(a!, 2))).toEqual([]);
      expect(await stores.archive.condemn(segment(2))).toEqual(ok(false));
      expect(await move(moveOf(b!, 2))).toEqual([]);
      expect(await stores.archive.condemned(9)).toEqual(ok([segment(1)]));
    });
    test('[G17] of a move into a segment and its condemnation at the same time one wins', async () => {
      const offers = await retired(8);
      const outcomes = await Promise.all(
        offers.map(async (offer, n) => {
          const [moved, condemned] = await Promise.all([
            again().archive.move([moveOf(offer, n)]),
            again().archive.condemn(segment(n)),
          ]);
          return [moved._unsafeUnwrap().length === 0, condemned._unsafeUnwrap()];
        }),
      );
      for (const [moved, condemned] of outcomes) expect(moved).toBe(!condemned);
    });
    test('[G17] condemned segments are listed until they are reported deleted; they stay condemned', async () => {
      const [a] = await retired(1);
      for (const n of [1, 2, 3]) await stores.archive.condemn(segment(n));
      expect((await again().archive.condemned(2))._unsafeUnwrap()).toHaveLength(2);
      for (let times = 0; times < 2; times++)
        expect(await stores.archive.deleted([segment(1), segment(3)])).toEqual(ok(undefined));
      expect(await stores.archive.condemned(9)).toEqual(ok([segment(2)]));
      expect(await move(moveOf(a!, 1))).toEqual([a!.id]);
      // Found once more, it is to be deleted once more.
      expect(await stores.archive.condemn(segment(1))).toEqual(ok(true));
      expect(await stores.archive.condemned(9)).toEqual(ok([segment(1), segment(2)]));
    });
    test('[G16] [G17] a rewrite moves all pointers of a segment, queues its messages and condemns the old segment', async () => {
      const [a, b, c] = await retired(3);
      const moves = [moveOf(a!, 1), moveOf(b!, 1)];
      await move(...moves);
      await move(moveOf(c!, 2));
      const anew = moves.map(({ pointer }, n) => ({
        ...pointer,
        segment: segment(3),
        offset: n,
        length: 1,
        version: pointer.version + n,
      }));
      const record = { shard: 1, topic: 't', key: a!.id, id: '', atUs: 5, value: new Uint8Array([1]) };
      const rewrite = { segment: segment(1), pointers: anew, outbox: [record] };
      // Not exactly those that it has.
      for (const pointers of [anew.slice(1), [...anew, { ...anew[0]!, offerId: c!.id }]])
        expect(await stores.archive.rewrite({ ...rewrite, pointers })).toEqual(conflict);
      expect(await find(1, 2)).toEqual(pointersOf(...moves));
      expect(await stores.archive.rewrite(rewrite)).toEqual(ok(undefined));
      expect(await find(1, 2)).toEqual(byId(anew));
      expect(await stores.archive.ofSegment(segment(1))).toEqual(ok([]));
      expect(byId((await stores.archive.ofSegment(segment(3)))._unsafeUnwrap())).toEqual(byId(anew));
      expect(byId((await stores.archive.ofSeller(seller, { limit: 9 }))._unsafeUnwrap())).toEqual(
        byId([...anew, moveOf(c!, 2).pointer]),
      );
      expect((await stores.queue.read(1, 100))._unsafeUnwrap()).toContainEqual(record);
      expect(await stores.archive.condemned(9)).toEqual(ok([segment(1)]));
      expect(await stores.archive.rewrite(rewrite)).toEqual(conflict);
    });
    test('[G17] a rewrite into a condemned segment is refused', async () => {
      const [a] = await retired(1);
      const old = moveOf(a!, 1);
      await move(old);
      await stores.archive.condemn(segment(2));
      const pointers = [{ ...old.pointer, segment: segment(2) }];
      expect(await stores.archive.rewrite({ segment: segment(1), pointers, outbox: [] })).toEqual(conflict);
      expect(await find(1)).toEqual([old.pointer]);
    });
    test('[G17] a segment of many offers moves at once, and is rewritten at once', async () => {
      const made = Array.from({ length: 300 }, (_, n) => publication(n, { shards: SHARDS }));
      const ended = made.map(({ offer }) => alteration(offer, { kind: 'remove' }, { shards: SHARDS }));
      for (let from = 0; from < made.length; from += 100) {
        const some = [made, ended].map((list) => ({ changes: list.slice(from, from + 100) }));
        (await stores.offers.commit(some))._unsafeUnwrap().forEach((outcome) => outcome._unsafeUnwrap());
      }
      const moves = ended.map(({ offer }) => moveOf(offer, 1));
      expect(await move(...moves)).toEqual([]);
      const pointers = moves.map(({ pointer }) => ({ ...pointer, segment: segment(2) }));
      expect(await stores.archive.rewrite({ segment: segment(1), pointers, outbox: [] })).toEqual(
        ok(undefined),
      );
      expect((await stores.archive.ofSegment(segment(2)))._unsafeUnwrap()).toHaveLength(300);
    });
  });
};

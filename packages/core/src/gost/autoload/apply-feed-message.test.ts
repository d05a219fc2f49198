import { err, ok, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { BatchAnswer, FeedAnswer, FeedEntry, FeedMessage, TerminalAnswer } from './feed-message.ts';
import { offerStatus, type Offer } from '../offer/offer.ts';
import { FEED_RESULTS, OFFER_UPDATES } from '../export/export-queue.port.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';
import { feedBatch, feedEntry, feedTerminal, sampleFeed } from '../testing/feed-samples.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores } from '../testing/gost-stores.ts';
import { jsonFlowCodecs } from '../testing/json-codecs.ts';
import { commandId, sampleSeller } from '../testing/samples.ts';
import type { GostSettings } from '../settings.ts';

const DAY_MS = 86_400_000;
const entries = (...ns: number[]): FeedEntry[] => ns.map((n) => feedEntry(n));

const open = (
  options: { settings?: Partial<GostSettings>; wrap?: (store: OfferStore) => OfferStore } = {},
) => {
  const time = manualClock(1_000);
  const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs, mode: 'constrained' }));
  const { wrap = (store) => store } = options;
  const gost = openTestGost({
    stores: { ...stores, offers: wrap(stores.offers) },
    clock: time.clock,
    random: seededRandom(1),
    newName: countingIds().next,
    settings: { shards: 1, ...options.settings },
  });
  /** As a consumer does: until the message is finished. */
  const load = async (...messages: FeedMessage[]): Promise<void> => {
    for (const message of messages)
      while ((await gost.applyFeedMessage(message))._unsafeUnwrap() === 'again') continue;
  };
  const queued = async (topic: string) => {
    const rows = (await stores.queue.read(0, 1_000))._unsafeUnwrap().filter((row) => row.topic === topic);
    await stores.queue.delete(rows);
    return rows;
  };
  /** Answers since the last look. */
  const answers = async (): Promise<FeedAnswer[]> =>
    (await queued(FEED_RESULTS)).map(({ value }) => jsonFlowCodecs.feedResults.decode(value)._unsafeUnwrap());
  const verdicts = async (): Promise<string[]> =>
    (await answers()).flatMap((answer) =>
      answer.kind === 'batch'
        ? answer.outcome === 'applied'
          ? answer.entries.map(({ verdict, errors }) =>
              [verdict, ...errors.map(({ code }) => code)].join(' '),
            )
          : [answer.outcome]
        : [`${answer.outcome} -${answer.removed} ~${answer.manual}`],
    );
  const offers = async (seller = sampleSeller()): Promise<readonly Offer[]> =>
    (await stores.scan.ofSeller(seller, { limit: 1_000 }))._unsafeUnwrap();
  /** Status by external id; manual ones under their title. */
  const standing = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await offers()).map((offer) => [offer.source?.externalId ?? offer.content.title, offerStatus(offer)]),
    );
  const offerOf = async (externalId: string): Promise<Offer> =>
    (await offers())
      .filter(({ source }) => source?.externalId === externalId)
      .sort((a, b) => Number(b.lifecycle !== 'removed') - Number(a.lifecycle !== 'removed'))[0]!;
  let commands = 0;
  const order = async (externalId: string, command: Record<string, unknown>) =>
    (
      await gost.changeOffer({
        offerId: (await offerOf(externalId)).id,
        command: { id: commandId(++commands), by: 'seller', ...command } as never,
      })
    )._unsafeUnwrap();
  const toldOffers = async () => (await queued(OFFER_UPDATES)).length;
  return { time, stores, load, answers, verdicts, standing, offers, offerOf, order, toldOffers, ...gost };
};

describe('the answer to an entry', () => {
  test('[G8] [P6] has the title if there are errors, also when the entry comes again', async () => {
    const { load, answers } = open();
    const photos = ['no address'];
    const batch = feedBatch(1, 0, [feedEntry(1, { title: 'Bicycle', photos }), feedEntry(2)]);
    await load(batch, { ...batch, generation: 2 });
    const told = (await answers()).flatMap((answer) => (answer.kind === 'batch' ? [answer.entries] : []));
    expect(told).toHaveLength(2);
    expect(told[1]!.map(({ verdict: _, ...entry }) => entry)).toEqual(
      told[0]!.map(({ verdict: _, ...entry }) => entry),
    );
    expect(told[0]!.map(({ title }) => title)).toEqual(['Bicycle', undefined]);
    expect(told[0]![0]!.errors).toMatchObject([{ path: 'photos[0]', value: 'no address', line: 2 }]);
  });
});

describe('a load', () => {
  const POINTS = [
    { latitude: Number.NaN, longitude: 0 },
    { latitude: 0, longitude: Number.NaN },
    { latitude: 90.001, longitude: 0 },
    { latitude: -Infinity, longitude: 0 },
    { latitude: 0, longitude: -180.001 },
  ];
  test.each(POINTS)(
    '[X1] an entry at %j is rejected with its reason, and its neighbours are applied',
    async (point) => {
      const { load, verdicts, standing } = open();
      const place = { address: 'x', point };
      await load(feedBatch(1, 0, [feedEntry(1, { place }), feedEntry(2)]));
      expect(await verdicts()).toEqual(['rejected OutOfRange', 'inserted']);
      expect(await standing()).toEqual({ 'ext-2': 'active' });
    },
  );
  test('[X1] an entry whose errors or place are out of bounds is rejected, its offer stays, and it is not seen as gone', async () => {
    const { load, verdicts, answers, standing } = open();
    await load(feedBatch(1, 0, entries(1, 2, 3)), feedTerminal(1, 1, 3));
    expect(await verdicts()).toEqual(['inserted', 'inserted', 'inserted', 'done -0 ~0']);
    const long = { level: 'warning', code: 'c', path: '', value: undefined, line: 1 } as const;
    const broken = [
      feedEntry(1, { title: 'New title' }, { errors: [{ ...long, message: 'm'.repeat(2_001) }] }),
      feedEntry(2, {}, { geo: { geoId: 'kazan', district: undefined, metro: Array<string>(21).fill('m') } }),
      feedEntry(3),
    ];
    await load(feedBatch(2, 0, broken), feedTerminal(2, 1, 3));
    const [batch, terminal] = await answers();
    expect(batch).toMatchObject({
      entries: [
        { verdict: 'rejected', errors: [{ code: 'TooLong', path: 'errors[0].message' }] },
        { verdict: 'rejected', errors: [{ code: 'TooMany', path: 'geo.metro' }] },
        { verdict: 'unchanged', errors: [] },
      ],
    });
    expect(terminal).toMatchObject({ outcome: 'done', removed: 0 });
    expect(await standing()).toEqual({ 'ext-1': 'active', 'ext-2': 'active', 'ext-3': 'active' });
  });
  test('[G8] makes offers, finds them unchanged, updates what changed, removes what is gone', async () => {
    const { load, verdicts, standing, toldOffers } = open();
    await load(feedBatch(1, 0, entries(1, 2)), feedBatch(1, 1, entries(3)), feedTerminal(1, 2, 3));
    expect(await verdicts()).toEqual(['inserted', 'inserted', 'inserted', 'done -0 ~0']);
    expect(await toldOffers()).toBe(3);
    await load(feedBatch(2, 0, entries(1, 2, 3)), feedTerminal(2, 1, 3));
    expect(await verdicts()).toEqual(['unchanged', 'unchanged', 'unchanged', 'done -0 ~0']);
    expect(await toldOffers()).toBe(0);
    await load(feedBatch(3, 0, [feedEntry(1, { title: 'New' }), feedEntry(2)]), feedTerminal(3, 1, 2));
    expect(await verdicts()).toEqual(['updated', 'unchanged', 'done -1 ~0']);
    expect(await toldOffers()).toBe(2);
    expect(await standing()).toEqual({ 'ext-1': 'active', 'ext-2': 'active', 'ext-3': 'removed' });
  });
  test('[G8] with errors of whatever kind an entry is touched and its offer left as it is', async () => {
    const { load, verdicts, standing, offerOf } = open();
    await load(feedBatch(1, 0, entries(1, 2, 3)), feedTerminal(1, 1, 3));
    await verdicts();
    const error = {
      level: 'error',
      code: 'Geocoding',
      path: 'place',
      message: 'm',
      value: 'x',
      line: 2,
    } as const;
    await load(
      feedBatch(2, 0, [
        feedEntry(1, {}, { errors: [error], content: undefined }),
        feedEntry(2, { title: 'x'.repeat(500) }),
        feedEntry(3, { title: 'Better' }, { errors: [{ ...error, level: 'warning', code: 'Late' }] }),
        feedEntry(4, { contacts: { name: undefined, phone: undefined, email: undefined } }),
      ]),
      feedTerminal(2, 1, 4),
    );
    expect(await verdicts()).toEqual([
      'rejected Geocoding',
      'rejected TooLong',
      'updated Late',
      'rejected Missing',
      'done -0 ~0',
    ]);
    expect(await standing()).toEqual({ 'ext-1': 'active', 'ext-2': 'active', 'ext-3': 'active' });
    expect((await offerOf('ext-2')).version).toBe(1);
  });
  test('[G8] an id twice in a load: the first wins, the second is told so, in one batch and over two', async () => {
    const { load, verdicts, offers } = open();
    const second = feedEntry(9, { title: 'Other' }, { externalId: 'ext-1' });
    await load(feedBatch(1, 0, [feedEntry(1), second]), feedBatch(1, 1, [{ ...second, ordinal: 10 }]));
    expect(await verdicts()).toEqual(['inserted', 'rejected duplicate', 'rejected duplicate']);
    expect((await offers()).map(({ content }) => content.title)).toEqual(['Feed 1']);
  });
  test('[G8] trap: a batch delivered again does nothing and says nothing', async () => {
    const { load, verdicts, toldOffers } = open();
    const batch = feedBatch(1, 0, entries(1));
    await load(batch, batch, feedBatch(1, 1, entries(2)), batch);
    expect(await verdicts()).toEqual(['inserted', 'inserted']);
    expect(await toldOffers()).toBe(2);
  });
  test('[G8] trap: a crash between the commit of a batch and its answer: the answer is part of the commit', async () => {
    let lost = 0;
    const { load, verdicts, offers, time } = open({
      wrap: (store) => ({
        ...store,
        commit: (units) =>
          store
            .commit(units)
            .andThen((outcomes): Result<typeof outcomes, Unavailable> =>
              lost++ === 0 ? err(unavailable('lost')) : ok(outcomes),
            ),
      }),
    });
    const loading = load(feedBatch(1, 0, entries(1, 2)));
    await time.advance(1_000);
    await loading;
    expect(await verdicts()).toEqual(['inserted', 'inserted']);
    expect(await offers()).toHaveLength(2);
  });
  test('[G8] a gap stops the load: nothing is applied, and its terminal removes nothing', async () => {
    const { load, verdicts, standing } = open();
    await load(feedBatch(1, 0, entries(1, 2)), feedTerminal(1, 1, 2));
    await verdicts();
    await load(feedBatch(2, 0, entries(1)), feedBatch(2, 2, entries(3)), feedTerminal(2, 3, 3));
    expect(await verdicts()).toEqual(['unchanged', 'incomplete', 'incomplete -0 ~0']);
    expect(await standing()).toEqual({ 'ext-1': 'active', 'ext-2': 'active' });
  });
  test('[G8] trap: two loads of one seller out of order: the older one is refused whole', async () => {
    const { load, verdicts, standing } = open();
    await load(feedBatch(2, 0, entries(1)), feedBatch(1, 0, entries(2)), feedTerminal(1, 1, 1));
    expect(await verdicts()).toEqual(['inserted', 'skipped', 'skipped -0 ~0']);
    expect(await standing()).toEqual({ 'ext-1': 'active' });
  });
  test('[G8] trap: a late batch of an older load after the terminal of the newer one', async () => {
    const { load, verdicts, standing } = open();
    await load(feedBatch(1, 0, entries(1)), feedBatch(2, 0, entries(2)), feedTerminal(2, 1, 1));
    await load(feedBatch(1, 1, [feedEntry(1, { title: 'Late' })]));
    expect(await verdicts()).toEqual(['inserted', 'inserted', 'done -1 ~0', 'skipped']);
    expect(await standing()).toEqual({ 'ext-1': 'removed', 'ext-2': 'active' });
  });
  test('[G8] trap: a terminal delivered again does nothing and says nothing', async () => {
    const { load, verdicts } = open();
    const terminal = feedTerminal(2, 1, 1);
    await load(
      feedBatch(1, 0, entries(1, 2)),
      feedTerminal(1, 1, 2),
      feedBatch(2, 0, entries(1)),
      terminal,
      terminal,
    );
    expect((await verdicts()).slice(-2)).toEqual(['unchanged', 'done -1 ~0']);
  });
  test('[G8] a zombie processor is refused; the load tried again by a newer one answers the same', async () => {
    const { load, verdicts, answers, toldOffers } = open();
    await load(feedBatch(1, 0, entries(1, 2)));
    const [first] = (await answers()) as BatchAnswer[];
    const again = { generation: 5 };
    await load(feedBatch(1, 0, entries(1, 2), again));
    const [second] = (await answers()) as BatchAnswer[];
    expect(second).toEqual({ ...first, ...again });
    await load(feedBatch(1, 1, entries(3)), feedBatch(1, 1, entries(3), again), feedTerminal(1, 2, 3, again));
    expect(await verdicts()).toEqual(['skipped', 'inserted', 'done -0 ~0']);
    expect(await toldOffers()).toBe(3);
  });
  test('[G8] feeds of other namespaces and sellers are never touched', async () => {
    const { load, standing, offers } = open();
    const spare = sampleFeed('spare');
    const other = sampleFeed('main', sampleSeller(2));
    await load(feedBatch(1, 0, entries(1, 2), spare), feedTerminal(1, 1, 2, spare));
    await load(feedBatch(1, 0, entries(1), other), feedTerminal(1, 1, 1, other));
    await load(feedBatch(1, 0, entries(3)), feedBatch(2, 0, entries(4)), feedTerminal(2, 1, 1));
    expect(await standing()).toEqual({
      'ext-1': 'active',
      'ext-2': 'active',
      'ext-3': 'removed',
      'ext-4': 'active',
    });
    expect(await offers(sampleSeller(2))).toHaveLength(1);
  });
});

describe('a terminal', () => {
  const many = Array.from({ length: 30 }, (_, n) => n);
  const loaded = async (settings: Partial<GostSettings> = {}) => {
    const world = open({ settings });
    await world.load(feedBatch(1, 0, entries(...many)), feedTerminal(1, 1, many.length));
    await world.answers();
    return world;
  };
  test('[G8] that would remove most of a feed is held with the counts; forced, it is carried out', async () => {
    const { load, answers, verdicts, standing } = await loaded();
    await load(feedBatch(2, 0, entries(0, 1)));
    await verdicts();
    await load(feedTerminal(2, 1, 2), feedTerminal(2, 1, 2));
    expect(await answers()).toMatchObject([
      { outcome: 'held', removed: 0, known: 30, unseen: 28 } satisfies Partial<TerminalAnswer>,
    ]);
    expect(Object.values(await standing()).every((status) => status === 'active')).toBe(true);
    await load(feedTerminal(2, 1, 2, { force: true }));
    expect(await verdicts()).toEqual(['done -28 ~0']);
  });
  test('[G8] a removed feed and a load that drops few offers skip the guard', async () => {
    const { load, verdicts } = await loaded();
    await load(feedTerminal(2, 0, 0, { reason: 'feed_removed' }));
    expect(await verdicts()).toEqual(['done -30 ~0']);
    const small = open();
    await small.load(feedBatch(1, 0, entries(1, 2)), feedTerminal(1, 1, 2), feedTerminal(2, 0, 0));
    expect((await small.verdicts()).at(-1)).toBe('done -2 ~0');
  });
  test('[G8] manual: the offers stay, as the seller’s own, with a term; a later load does not know them', async () => {
    const { load, verdicts, offers, standing } = open();
    await load(
      feedBatch(1, 0, entries(1)),
      feedTerminal(1, 1, 1),
      feedTerminal(2, 0, 0, { absent: 'manual' }),
    );
    expect((await verdicts()).at(-1)).toBe('done -0 ~1');
    expect((await offers())[0]!.source).toBeUndefined();
    expect((await offers())[0]).toMatchObject({
      lifecycle: 'active',
      expiresAtUs: expect.any(Number),
    });
    await load(feedBatch(3, 0, entries(1)));
    expect(await verdicts()).toEqual(['inserted']);
    expect(await standing()).toEqual({ 'Feed 1': 'active', 'ext-1': 'active' });
  });
});

describe('an entry for an offer that is', () => {
  const one = async (...orders: Record<string, unknown>[]) => {
    const world = open();
    await world.load(feedBatch(1, 0, entries(1)), feedTerminal(1, 1, 1));
    await world.answers();
    for (const command of orders) await world.order('ext-1', command);
    return world;
  };
  const next = feedBatch(2, 0, [feedEntry(1, { title: 'Again' })]);
  const ban = (editable: boolean) => ({ kind: 'ban', editable, reasons: ['spam'], opinionVersion: 1 });

  test('[G8] hidden: updated, stays hidden', async () => {
    const { load, verdicts, standing } = await one({ kind: 'hide' });
    await load(next);
    expect([await verdicts(), await standing()]).toEqual([['updated'], { 'ext-1': 'hidden' }]);
  });
  test('[G8] sold: skipped; gone from the feed it becomes the seller’s own', async () => {
    const { load, verdicts, offers } = await one({ kind: 'sell', onPlatform: true });
    await load(next, feedTerminal(2, 1, 1), feedTerminal(3, 0, 0));
    expect(await verdicts()).toEqual(['skipped sold', 'done -0 ~0', 'done -0 ~1']);
    expect((await offers())[0]).toMatchObject({ lifecycle: 'sold' });
    expect((await offers())[0]!.source).toBeUndefined();
  });
  test('[G7] [G8] banned and editable: updated, stays banned, told; banned for good: rejected, and not removed', async () => {
    const editable = await one(ban(true));
    await editable.load(next);
    expect([await editable.verdicts(), await editable.standing()]).toEqual([
      ['updated ban'],
      { 'ext-1': 'banned' },
    ]);
    const closed = await one(ban(false));
    await closed.load(next, feedTerminal(2, 1, 1));
    expect(await closed.verdicts()).toEqual(['rejected ban', 'done -0 ~0']);
    expect(await closed.standing()).toEqual({ 'ext-1': 'banned' });
  });
  test('[G8] banned and dropped by its feed: back within its days it has its old id and its ban', async () => {
    const { load, verdicts, offerOf, standing, time } = await one(ban(false));
    const { id } = await offerOf('ext-1');
    await load(feedTerminal(2, 0, 0));
    expect(await standing()).toEqual({ 'ext-1': 'removed' });
    await load(feedBatch(3, 0, [feedEntry(1, { title: 'Back' })]));
    expect(await verdicts()).toEqual(['done -1 ~0', 'updated ban']);
    expect(await offerOf('ext-1')).toMatchObject({ id, lifecycle: 'active', content: { title: 'Back' } });
    expect(await standing()).toEqual({ 'ext-1': 'banned' });
    await load(feedTerminal(4, 0, 0));
    await time.advance(91 * DAY_MS);
    await load(feedBatch(5, 0, entries(1)));
    expect((await verdicts()).at(-1)).toBe('inserted');
    expect((await offerOf('ext-1')).ban).toBeUndefined();
  });
  test('[X14] [G8] banned, dropped, sent with an error, then sent well: it has its old id and its ban', async () => {
    const { load, verdicts, offerOf, standing } = await one(ban(false));
    const { id } = await offerOf('ext-1');
    await load(feedTerminal(2, 0, 0));
    await load(feedBatch(3, 0, [feedEntry(1, { title: '' })]), feedTerminal(3, 1, 1));
    expect(await standing()).toEqual({ 'ext-1': 'removed' });
    await load(feedBatch(4, 0, [feedEntry(1, { title: 'Back' })]));
    expect(await verdicts()).toEqual(['done -1 ~0', 'rejected TooShort', 'done -0 ~0', 'updated ban']);
    expect(await offerOf('ext-1')).toMatchObject({ id, lifecycle: 'active', content: { title: 'Back' } });
    expect(await standing()).toEqual({ 'ext-1': 'banned' });
  });
  test.each([
    [90 * DAY_MS - 1, 'updated ban'],
    [90 * DAY_MS, 'inserted'],
  ])('[X14] [G8] banned and dropped %i ms ago, it comes back: %s', async (ms, expected) => {
    const { load, verdicts, time } = await one(ban(false));
    await load(feedTerminal(2, 0, 0));
    await time.advance(ms);
    await load(feedBatch(3, 0, entries(1)));
    expect((await verdicts()).at(-1)).toBe(expected);
  });
  test('[G8] removed by the seller: the next load makes it anew', async () => {
    const { load, verdicts, offers } = await one({ kind: 'remove' });
    await load(next);
    expect(await verdicts()).toEqual(['inserted']);
    expect((await offers()).map(({ lifecycle }) => lifecycle).sort()).toEqual(['active', 'removed']);
  });
  test('[G1] of a feed: it does not expire while its feed has it', async () => {
    const { offerOf } = await one();
    expect((await offerOf('ext-1')).expiresAtUs).toBeUndefined();
  });
});

describe('many', () => {
  test('[G8] a batch of 500 takes as many statements as one of 5', async () => {
    const calls = async (size: number): Promise<number> => {
      let count = 0;
      const counted = <T extends object>(port: T): T =>
        new Proxy(port, {
          get: (target, name) => {
            const method = target[name as keyof T] as unknown;
            return typeof method === 'function'
              ? (...args: unknown[]) => (
                  count++,
                  (method as (...all: unknown[]) => unknown).apply(target, args)
                )
              : method;
          },
        });
      const time = manualClock(1_000);
      const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
      const gost = openTestGost({
        stores: { ...stores, offers: counted(stores.offers), feeds: counted(stores.feeds) },
        clock: time.clock,
        random: seededRandom(1),
        newName: countingIds().next,
      });
      const all = Array.from({ length: size }, (_, n) => feedEntry(n));
      (await gost.applyFeedMessage(feedBatch(1, 0, all)))._unsafeUnwrap();
      (await gost.applyFeedMessage(feedBatch(2, 0, all)))._unsafeUnwrap();
      return count;
    };
    expect(await calls(500)).toBe(await calls(5));
  });
});

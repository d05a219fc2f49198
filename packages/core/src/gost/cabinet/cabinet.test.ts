import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { makePageTokens } from '../../kernel/index.ts';
import { memoryDatabase } from '../../kernel/testing.ts';
import {
  corruptCountInMemory,
  corruptTotalInMemory,
  inMemoryGostStores,
  publication,
} from '../testing/gost-stores.ts';
import { ANSWER_BYTES_MAX, offerBytes } from '../offer/answer-size.ts';
import { sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeAuditCounts, repairSeller } from './audit-counts.use-case.ts';
import { CABINET_PAGE_MAX, makeListCabinet } from './list-cabinet.use-case.ts';

const openWithOffers = async (count: number) => {
  const db = memoryDatabase({ nowMs: () => 2_000 });
  const stores = inMemoryGostStores(db);
  const changes = Array.from({ length: count }, (_, n) => publication(n + 1, { nowUs: n + 1, shards: 1 }));
  await stores.offers.commit([{ changes }]);
  return { db, stores };
};
test('[G6] pages with a token go through the list; a token of another list is refused', async () => {
  const { stores } = await openWithOffers(5);
  const tokens = makePageTokens({
    sign: (text) => `s${text.length}`,
    verify: (text, seal) => seal === `s${text.length}`,
  });
  const list = makeListCabinet({ ...stores, tokens });
  const query = { seller: sampleSeller(), preset: 'active', pageSize: 2 } as const;
  const first = (await list(query))._unsafeUnwrap();
  const second = (await list({ ...query, pageToken: first.nextPageToken! }))._unsafeUnwrap();
  const third = (await list({ ...query, pageToken: second.nextPageToken! }))._unsafeUnwrap();
  expect([first, second, third].flatMap(({ offers }) => offers.map(({ id }) => id))).toEqual(
    [5, 4, 3, 2, 1].map(sampleOfferId),
  );
  expect(third.nextPageToken).toBeUndefined();
  const foreign = await list({ ...query, preset: 'all', pageToken: first.nextPageToken! });
  expect(foreign).toEqual(err({ kind: 'InvalidPageToken', reason: 'otherQuery' }));
  expect(await list({ ...query, preset: 'sold' })).toEqual(ok({ offers: [], nextPageToken: undefined }));
});
test('[G6] an audit says which counts were wrong, and they are right afterwards', async () => {
  const { stores, db } = await openWithOffers(5);
  const list = { seller: sampleSeller(), preset: 'active' } as const;
  corruptCountInMemory(db, list, -2);
  const audit = makeAuditCounts(stores.cabinet);
  expect((await audit({ limit: 9 }))._unsafeUnwrap()).toEqual({
    checked: 2,
    drifted: [{ ...list, counted: 5, drift: -2 }],
    totals: [],
    next: undefined,
  });
  expect((await audit({ limit: 1 }))._unsafeUnwrap()).toMatchObject({
    drifted: [],
    next: { preset: 'all' },
  });
  corruptTotalInMemory(db, sampleSeller(), { total: 'Active', currency: '', by: 4 });
  expect((await audit({ limit: 9 }))._unsafeUnwrap().totals).toEqual([
    { seller: sampleSeller(), total: 'Active', currency: '', drift: 4 },
  ]);
  corruptCountInMemory(db, list, 1);
  corruptTotalInMemory(db, sampleSeller(), { total: 'Active', currency: '', by: -1 });
  expect((await repairSeller(stores.cabinet, sampleSeller()))._unsafeUnwrap()).toEqual({
    lists: [{ ...list, counted: 5, drift: 1 }],
    totals: [{ total: 'Active', currency: '', drift: -5 }],
  });
});
test('[X9] a page of large offers ends before it is too large for a client, and the next one goes on exactly', async () => {
  const { stores } = await openWithOffers(0);
  const changes = Array.from({ length: 80 }, (_, n) => {
    const change = publication(n + 1, { nowUs: n + 1, shards: 1 });
    const content = { ...change.offer.content, description: 'x'.repeat(90_000) };
    return { ...change, offer: { ...change.offer, content } };
  });
  for (const change of changes) await stores.offers.commit([{ changes: [change] }]);
  const tokens = makePageTokens({ sign: () => 's', verify: () => true });
  const list = makeListCabinet({ ...stores, tokens });
  const seen: string[] = [];
  const pages: number[] = [];
  for (let pageToken: string | undefined; ;) {
    const query = { seller: sampleSeller(), preset: 'all', pageSize: 200 } as const;
    const page = (await list({ ...query, ...(pageToken ? { pageToken } : {}) }))._unsafeUnwrap();
    seen.push(...page.offers.map(({ id }) => id));
    pages.push(page.offers.reduce((sum, offer) => sum + offerBytes(offer), 0));
    pageToken = page.nextPageToken;
    if (!pageToken) break;
  }
  expect(seen).toEqual(changes.map(({ offer }) => offer.id as string).reverse());
  expect(Math.max(...pages)).toBeLessThanOrEqual(ANSWER_BYTES_MAX);
  expect(pages).toHaveLength(3);
});
test('[X14] [G6] a page holds at most 200 offers, whatever is asked', async () => {
  const { stores } = await openWithOffers(CABINET_PAGE_MAX + 1);
  const list = makeListCabinet({
    ...stores,
    tokens: makePageTokens({ sign: () => 's', verify: () => true }),
  });
  const page = await list({ seller: sampleSeller(), preset: 'all', pageSize: 1_000 });
  expect(page._unsafeUnwrap().offers).toHaveLength(CABINET_PAGE_MAX);
  expect(page._unsafeUnwrap().nextPageToken).toBeDefined();
});

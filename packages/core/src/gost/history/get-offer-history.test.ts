import { err, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { makePageTokens } from '../../kernel/index.ts';
import { memoryDatabase } from '../../kernel/testing.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { sampleContent, sampleOfferId, sampleSeller } from '../testing/samples.ts';
import { makeGetOfferHistory } from './get-offer-history.use-case.ts';

const tokens = makePageTokens({
  sign: (text) => `s${text.length}`,
  verify: (text, seal) => seal === `s${text.length}`,
});
const offerId = sampleOfferId(1);
/** Published, hidden, and then edited so often. */
const open = async (edits: number) => {
  const { offers } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
  const changes: OfferChange[] = [publication(1)];
  changes.push(alteration(changes[0]!.offer, { kind: 'hide' }));
  for (let n = 0; n < edits; n++) {
    const content = sampleContent({ title: `title ${n}` });
    changes.push(alteration(changes.at(-1)!.offer, { kind: 'edit', content }));
  }
  await offers.commit(changes.map((change) => ({ changes: [change] })));
  return makeGetOfferHistory({ offers, readArchive: () => okAsync([]), tokens });
};

test('[G14] pages tell every change once, newest first; why is told with the first', async () => {
  const history = await open(5);
  const seen: number[] = [];
  const why: number[] = [];
  for (let pageToken: string | undefined; ;) {
    const page = await history({ offerId, pageSize: 3, ...(pageToken ? { pageToken } : {}) });
    seen.push(...page._unsafeUnwrap().entries.map(({ version }) => version));
    why.push(page._unsafeUnwrap().why.length);
    pageToken = page._unsafeUnwrap().nextPageToken;
    if (!pageToken) break;
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(why).toEqual([2, 0, 0]);
});
test('[G14] the cause is found behind the page that is shown', async () => {
  const { why, entries } = (await (await open(20))({ offerId, pageSize: 1 }))._unsafeUnwrap();
  expect(entries).toHaveLength(1);
  expect(why[0]).toMatch(/^It is hidden: the seller hid it on /);
});
test('[G14] a page is bounded, whatever is asked', async () => {
  const history = await open(250);
  expect((await history({ offerId, pageSize: 100_000 }))._unsafeUnwrap().entries).toHaveLength(200);
  expect((await history({ offerId, pageSize: -1 }))._unsafeUnwrap().entries).toHaveLength(1);
});
test('[G14] an unknown offer, an offer of another seller and a wrong token are refused', async () => {
  const history = await open(5);
  const id = sampleOfferId(2);
  const pageSize = 1;
  expect(await history({ offerId: id, pageSize })).toEqual(err({ kind: 'NotFound', offerId: id }));
  expect(await history({ offerId, pageSize, seller: sampleSeller(2) })).toEqual(
    err({ kind: 'NotOwner', offerId }),
  );
  expect((await history({ offerId, pageSize, seller: sampleSeller() })).isOk()).toBe(true);
  expect(await history({ offerId, pageSize, pageToken: 'x' })).toMatchObject({
    error: { kind: 'InvalidPageToken' },
  });
});
test('[X9] a page of long reasons ends before it is too large for a client, and the next one goes on exactly', async () => {
  const { offers } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
  const changes: OfferChange[] = [publication(1)];
  for (let opinionVersion = 1; opinionVersion <= 150; opinionVersion++) {
    const reasons = Array.from({ length: 20 }, () => `${opinionVersion} ${'я'.repeat(490)}`);
    changes.push(alteration(changes.at(-1)!.offer, { kind: 'ban', editable: true, reasons, opinionVersion }));
  }
  for (const change of changes) await offers.commit([{ changes: [change] }]);
  const history = makeGetOfferHistory({ offers, readArchive: () => okAsync([]), tokens });
  const first = (await history({ offerId, pageSize: 200 }))._unsafeUnwrap();
  expect(first.entries.length).toBeLessThan(100);
  const pageToken = first.nextPageToken!;
  const second = (await history({ offerId, pageSize: 200, pageToken }))._unsafeUnwrap();
  expect(second.entries[0]!.version).toBe(first.entries.at(-1)!.version - 1);
});

import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import {
  commandId,
  DAY_US,
  sampleContent,
  sampleContext,
  sampleOfferId,
  sampleSeller,
} from '../testing/samples.ts';
import type { ChangeCommand, PublishOffer } from './command.ts';
import { decide, decidePublish } from './decide.ts';
import type { DecisionContext } from './step.ts';
import { offerStatus, type Offer, type OfferSource } from './offer.ts';
import { resultOf, type OfferChange } from './offer-change.ts';

const context = sampleContext();
const id = sampleOfferId(1);
const publishing = (source?: OfferSource): PublishOffer => ({
  ...{ kind: 'publish', id: commandId('publish'), by: 'seller', offerId: id, seller: sampleSeller() },
  ...{ content: sampleContent(), ...(source ? { source } : {}) },
});
const fresh = (source?: OfferSource): Offer =>
  change(decidePublish(undefined, publishing(source), context)).offer;
const change = (decision: ReturnType<typeof decide>): OfferChange => {
  const decided = decision._unsafeUnwrap();
  return decided.kind === 'change' ? decided.change : expect.unreachable('nothing changed');
};
type Distribute<T> = T extends unknown ? Omit<T, 'id' | 'by'> : never;
let commands = 0;
const on = (offer: Offer, command: Distribute<ChangeCommand>, given: Partial<DecisionContext> = {}) =>
  decide(
    offer,
    { id: commandId(++commands), by: 'seller', ...command },
    {
      ...context,
      ...given,
    },
  );
const after = (offer: Offer, ...rest: Distribute<ChangeCommand>[]): Offer =>
  rest.reduce((at, command) => change(on(at, command)).offer, offer);
const ban = { kind: 'ban', editable: true, reasons: ['spam'], opinionVersion: 5 } as const;
const presets = ({ presets: moves }: OfferChange) =>
  moves.map(({ preset, by }) => `${by > 0 ? '+' : '-'}${preset}`);
const totals = ({ totals: moves }: OfferChange) =>
  moves.map(({ total, currency, by }) => [total, currency, by]);

describe('publish', () => {
  test('[G1] makes version 1, active, with everything that must be true together', () => {
    const made = change(decidePublish(undefined, publishing(), context));
    expect(made.offer).toMatchObject({ id, version: 1, lifecycle: 'active', updatedAtUs: context.nowUs });
    expect(made.offer.expiresAtUs).toBe(context.nowUs + 30 * DAY_US);
    expect(made.expectedVersion).toBe(0);
    expect(presets(made)).toEqual(['+all', '+active']);
    expect(totals(made)).toEqual([['Active', '', 1]]);
    expect(made.timerAdded).toMatchObject({ what: 'expiry', offerId: id, atUs: made.offer.expiresAtUs });
    expect(made.history).toMatchObject({ command: 'publish', from: undefined, to: 'active', version: 1 });
    expect(made.exported).toMatchObject({ id, version: 1, status: 'active', catalogVersion: 7 });
  });
  test('[G5] the view has no contacts', () => {
    const view = change(decidePublish(undefined, publishing(), context)).exported!;
    expect(JSON.stringify(view)).not.toMatch(/contacts|900 000/);
  });
  test('[G1] repeated, it answers what it made; another command finds the id taken', () => {
    const offer = fresh();
    expect(decidePublish(offer, publishing(), context)).toEqual(
      ok({ kind: 'none', result: resultOf(offer), repeated: true }),
    );
    expect(decidePublish(offer, { ...publishing(), id: commandId('other') }, context)).toEqual(
      err({ kind: 'IdTaken', offerId: id }),
    );
  });
  test('[G1] an offer of a feed does not expire', () => {
    expect(fresh({ namespace: 'n', externalId: '1' }).expiresAtUs).toBeUndefined();
  });
});

describe('decide', () => {
  test('[G1] [G11] each change moves presets, totals and expiry by its status', () => {
    const hidden = change(on(fresh(), { kind: 'hide' }));
    expect([presets(hidden), totals(hidden)]).toEqual([['-active', '+inactive'], [['Active', '', -1]]]);
    expect([hidden.timerAdded, hidden.timerRemoved?.offerId]).toEqual([undefined, id]);
    const active = change(on(hidden.offer, { kind: 'activate' }, { nowUs: 2_000_000_000 }));
    expect(active.timerAdded?.atUs).toBe(2_000_000_000 + 30 * DAY_US);
    const removed = change(on(active.offer, { kind: 'remove' }));
    expect([presets(removed), totals(removed)]).toEqual([['-all', '-active'], [['Active', '', -1]]]);
    expect(removed.exported!.status).toBe('removed');
  });
  test('[G1] the same content again commits nothing', () => {
    const offer = fresh();
    expect(on(offer, { kind: 'edit', content: sampleContent() })._unsafeUnwrap()).toMatchObject({
      ...{ kind: 'none', repeated: false, result: { version: 1 } },
    });
    const edited = change(on(offer, { kind: 'edit', content: sampleContent({ title: 'Lada, red' }) }));
    expect([presets(edited), totals(edited), edited.timerAdded]).toEqual([[], [], undefined]);
    expect(edited.exported).toMatchObject({ title: 'Lada, red', version: 2 });
  });
  test('[G1] an editor who has not seen the newest version is told', () => {
    expect(on(fresh(), { kind: 'edit', content: sampleContent(), expected: 9 })).toEqual(
      err({ kind: 'StaleVersion', offerId: id, expected: 9, actual: 1 }),
    );
  });
  test('[G4] an edit that breaks a rule names the field', () => {
    const refused = on(fresh(), { kind: 'edit', content: sampleContent({ title: '' }) });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      kind: 'InvalidInput',
      violations: [{ path: 'title' }],
    });
  });
  test("[G1] somebody else's offer does not obey", () => {
    expect(on(fresh(), { kind: 'remove', seller: sampleSeller(2) })).toEqual(
      err({ kind: 'NotOwner', offerId: id }),
    );
  });
  test('[G1] a command that was applied answers its result, also after others', () => {
    const hide = { kind: 'hide', id: commandId('once'), by: 'seller' } as const;
    const hidden = change(decide(fresh(), hide, context)).offer;
    const later = after(hidden, { kind: 'activate' }, { kind: 'sell', onPlatform: false });
    expect(decide(later, hide, context)).toEqual(
      ok({ kind: 'none', result: resultOf(hidden), repeated: true }),
    );
  });
  test.each([
    ['a frozen clock', () => 1_000_000_000],
    ['a clock that jumps back an hour', (n: number) => 1_000_000_000 - (n % 2) * 3_600_000_000],
  ])('[G1] trap: 100 commits under %s: versions and times strictly grow', (_name, nowUs) => {
    let offer = fresh();
    for (let n = 1; n <= 100; n++) {
      const next = change(on(offer, { kind: n % 2 ? 'hide' : 'activate' }, { nowUs: nowUs(n) })).offer;
      expect(next.version).toBe(offer.version + 1);
      expect(next.updatedAtUs).toBeGreaterThan(offer.updatedAtUs);
      offer = next;
    }
    expect(offer.commands).toHaveLength(8);
  });
  test('[G13] only what is due expires', () => {
    expect(on(fresh(), { kind: 'expire' })._unsafeUnwrap().kind).toBe('none');
    const expired = change(on(fresh(), { kind: 'expire' }, { nowUs: context.nowUs + 31 * DAY_US }));
    expect(totals(expired)).toEqual([
      ['Active', '', -1],
      ['Expired', '', 1],
    ]);
    expect(expired.timerRemoved).toBeDefined();
  });
  test('[G16] prolong moves the expiry of what is active, and of nothing else', () => {
    const longer = change(on(fresh(), { kind: 'prolong' }, { nowUs: 2_000_000_000 }));
    expect(longer.timerAdded!.atUs - longer.timerRemoved!.atUs).toBe(1_000_000_000);
    expect(on(longer.offer, { kind: 'prolong' }, { nowUs: 2_000_000_000 })._unsafeUnwrap().kind).toBe('none');
    for (const [offer, kind] of [
      [after(fresh(), { kind: 'hide' }), 'NotActive'],
      [after(fresh(), ban), 'Banned'],
      [after(fresh(), { kind: 'remove' }), 'NotFound'],
    ] as const)
      expect(on(offer, { kind: 'prolong' })).toEqual(err({ kind, offerId: id }));
  });
});

describe('sale', () => {
  const sell = { kind: 'sell', onPlatform: true } as const;
  test('[G11] the first sale on the platform counts, once, with the price of that moment', () => {
    const sold = change(on(fresh(), sell));
    expect(totals(sold)).toEqual([
      ['Active', '', -1],
      ['Sold', '', 1],
      ['MoneyEarned', 'RUB', 100_000],
    ]);
    const again = change(on(after(sold.offer, { kind: 'activate' }), sell));
    expect(totals(again)).toEqual([['Active', '', -1]]);
  });
  test('[G11] sold elsewhere first: the later sale on the platform counts, a second one changes nothing', () => {
    const elsewhere = after(fresh(), { kind: 'sell', onPlatform: false });
    const counted = change(on(elsewhere, sell));
    expect(totals(counted)).toEqual([
      ['Sold', '', 1],
      ['MoneyEarned', 'RUB', 100_000],
    ]);
    expect(on(counted.offer, sell)._unsafeUnwrap().kind).toBe('none');
  });
  test('[G11] trap: price removed before the sale: Sold moves, MoneyEarned does not', () => {
    const free = after(fresh(), { kind: 'edit', content: sampleContent({ price: undefined }) });
    expect(totals(change(on(free, sell)))).toEqual([
      ['Active', '', -1],
      ['Sold', '', 1],
    ]);
  });
});

describe('ban', () => {
  test('[G1] a ban stands above the lifecycle and needs no memory', () => {
    const banned = change(on(fresh(), ban));
    expect([presets(banned), totals(banned)]).toEqual([
      ['-active', '+banned'],
      [
        ['Active', '', -1],
        ['Banned', '', 1],
      ],
    ]);
    const hidden = after(banned.offer, { kind: 'hide' });
    expect(offerStatus(hidden)).toBe('banned');
    expect(offerStatus(after(hidden, { kind: 'unban', opinionVersion: 6 }))).toBe('hidden');
  });
  test('[G7] an older opinion never overwrites a newer one', () => {
    const banned = after(fresh(), ban);
    for (const opinionVersion of [4, 5]) {
      expect(on(banned, { kind: 'unban', opinionVersion })._unsafeUnwrap().kind).toBe('none');
      expect(on(banned, { ...ban, opinionVersion })._unsafeUnwrap().kind).toBe('none');
    }
    const free = after(banned, { kind: 'unban', opinionVersion: 6 });
    expect(on(free, ban)._unsafeUnwrap().kind).toBe('none');
  });
  test('[G7] an unban of what is not banned is kept, and nobody is told', () => {
    const kept = change(on(fresh(), { kind: 'unban', opinionVersion: 3 }));
    expect([kept.offer.opinionVersion, kept.exported, kept.presets]).toEqual([3, undefined, []]);
  });
  test('[G7] a removed offer hears opinions for its history alone', () => {
    const heard = change(on(after(fresh(), { kind: 'remove' }), ban));
    expect([heard.offer.ban, heard.exported, heard.presets]).toEqual([undefined, undefined, []]);
    expect(heard.history).toMatchObject({ command: 'ban', to: 'removed' });
  });
  test('[G1] trap: unban after expiry leads to expired in the same commit', () => {
    const late = context.nowUs + 31 * DAY_US;
    const unbanned = change(on(after(fresh(), ban), { kind: 'unban', opinionVersion: 6 }, { nowUs: late }));
    expect(offerStatus(unbanned.offer)).toBe('expired');
    expect(unbanned.timerRemoved).toBeDefined();
  });
  test('[G1] trap: a ban that arrives while the seller edits is not lost by the edit', () => {
    const edited = after(after(fresh(), ban), {
      kind: 'edit',
      content: sampleContent({ title: 'Lada, red' }),
    });
    expect([offerStatus(edited), edited.ban?.reasons]).toEqual(['banned', ['spam']]);
    const strict = after(fresh(), { ...ban, editable: false });
    expect(on(strict, { kind: 'edit', content: sampleContent({ title: 'Lada, red' }) })).toEqual(
      err({ kind: 'Banned', offerId: id }),
    );
  });
});

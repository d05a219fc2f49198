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
import { COMMANDS_KEPT, NAMED_COMMANDS_KEPT, offerStatus, type Offer, type OfferSource } from './offer.ts';
import { resultOf, type OfferChange } from './offer-change.ts';
import { viewOf } from './offer-view.ts';

const context = sampleContext();
const id = sampleOfferId(1);
const publishing = (source?: OfferSource): PublishOffer => ({
  kind: 'publish',
  id: commandId('publish'),
  by: 'seller',
  offerId: id,
  seller: sampleSeller(),
  content: sampleContent(),
  ...(source ? { source } : {}),
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
    const view = change(decidePublish(undefined, publishing(), context)).exported;
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
    expect(removed.exported.status).toBe('removed');
  });
  test('[G1] the same content again commits nothing', () => {
    const offer = fresh();
    expect(on(offer, { kind: 'edit', content: sampleContent() })._unsafeUnwrap()).toMatchObject({
      kind: 'none',
      repeated: false,
      result: { version: 1 },
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
  test('[G1] a command on an offer of another seller is refused', () => {
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
  test('[G7] [X8] an unban of an offer that is not banned is stored with its own version and record', () => {
    const kept = change(on(fresh(), { kind: 'unban', opinionVersion: 3 }));
    expect([kept.offer.opinionVersion, kept.presets]).toEqual([3, []]);
    expect(kept.exported).toEqual(viewOf(kept.offer));
    expect(kept.offer.version).toBe(2);
  });
  test('[G7] a removed offer hears opinions for its history alone', () => {
    const heard = change(on(after(fresh(), { kind: 'remove' }), ban));
    expect([heard.offer.ban, heard.exported.version, heard.presets]).toEqual([
      undefined,
      heard.offer.version,
      [],
    ]);
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

describe('changed', () => {
  const changed = (offer: Offer, command: Distribute<ChangeCommand>): boolean | 'none' => {
    const decided = on(offer, command)._unsafeUnwrap();
    return decided.kind === 'change' ? decided.changed : 'none';
  };
  test('[X8] an opinion changes something only if the ban comes, goes or differs', () => {
    const banned = after(fresh(), ban);
    expect(changed(fresh(), ban)).toBe(true);
    expect(changed(fresh(), { kind: 'unban', opinionVersion: 1 })).toBe(false);
    expect(changed(banned, { kind: 'unban', opinionVersion: 6 })).toBe(true);
    expect(changed(banned, { ...ban, opinionVersion: 6 })).toBe(false);
    expect(changed(banned, { ...ban, opinionVersion: 6, editable: false })).toBe(true);
    expect(changed(banned, { ...ban, opinionVersion: 6, reasons: ['fraud'] })).toBe(true);
    expect(changed(banned, ban)).toBe('none');
    expect(changed(after(fresh(), { kind: 'remove' }), ban)).toBe(false);
  });
});

describe('command ids of callers', () => {
  const named = (name: string, command: Distribute<ChangeCommand>): ChangeCommand => ({
    id: commandId(name),
    by: 'seller',
    named: true,
    ...command,
  });
  const give = (offer: Offer, name: string, command: Distribute<ChangeCommand>) =>
    decide(offer, named(name, command), context);
  const done = (offer: Offer, name: string, command: Distribute<ChangeCommand>): Offer =>
    change(give(offer, name, command)).offer;
  const edit = (title: string) => ({ kind: 'edit', content: sampleContent({ title }) }) as const;
  const reused = err({ kind: 'CommandIdReused', offerId: id });

  test('[X8] an id that was used for another command is refused', () => {
    const hidden = done(fresh(), 'a', { kind: 'hide' });
    expect(give(hidden, 'a', { kind: 'hide' })._unsafeUnwrap()).toMatchObject({ repeated: true });
    expect(give(hidden, 'a', { kind: 'activate' })).toEqual(reused);
    const edited = done(fresh(), 'e', edit('Lada, red'));
    expect(give(edited, 'e', edit('Lada, red'))._unsafeUnwrap()).toMatchObject({ repeated: true });
    expect(give(edited, 'e', edit('Lada, blue'))).toEqual(reused);
    const sold = done(fresh(), 's', { kind: 'sell', onPlatform: true });
    expect(give(sold, 's', { kind: 'sell', onPlatform: false })).toEqual(reused);
  });
  test('[X8] an edit is the same command under another expected version and at another place that the geocoder found', () => {
    const edited = done(fresh(), 'e', edit('Lada, red'));
    const geo = { geoId: 'kazan', district: undefined, metro: [] };
    expect(give(edited, 'e', { ...edit('Lada, red'), expected: 7, geo })._unsafeUnwrap()).toMatchObject({
      repeated: true,
    });
  });
  test('[X8] a command of an older release, which kept no fingerprint, is still known by its id', () => {
    const hidden = change(on(fresh(), { kind: 'hide' })).offer;
    const old = { ...hidden, commands: hidden.commands.map((one) => ({ ...one, id: commandId('a') })) };
    expect(give(old, 'a', { kind: 'activate' })._unsafeUnwrap()).toMatchObject({ repeated: true });
  });
  test('[X8] a sale repeated after nine edits and a new start does not sell again', () => {
    let offer = done(fresh(), 'sale', { kind: 'sell', onPlatform: true });
    offer = done(offer, 'again', { kind: 'activate' });
    for (let n = 0; n < 9; n++) offer = done(offer, `edit ${n}`, edit(`Lada, owner ${n}`));
    expect(give(offer, 'sale', { kind: 'sell', onPlatform: true })._unsafeUnwrap()).toMatchObject({
      kind: 'none',
      repeated: true,
    });
  });
  test('[X8] an id is remembered for exactly 32 changes under ids of callers', () => {
    let offer = done(fresh(), 'first', { kind: 'hide' });
    for (let n = 0; n < NAMED_COMMANDS_KEPT - 1; n++) offer = done(offer, `${n}`, edit(`Lada, owner ${n}`));
    expect(give(offer, 'first', { kind: 'hide' })._unsafeUnwrap()).toMatchObject({ repeated: true });
    offer = done(offer, 'last', edit('Lada, the last'));
    expect(give(offer, 'first', { kind: 'hide' })._unsafeUnwrap()).toMatchObject({ repeated: false });
    expect(offer.commands).toHaveLength(NAMED_COMMANDS_KEPT);
  });
  test('[X8] changes without ids of callers push no named id out, and only the last eight of them are kept', () => {
    let offer = done(fresh(), 'first', { kind: 'hide' });
    for (let n = 0; n < 40; n++) offer = after(offer, edit(`Lada, owner ${n}`));
    expect(give(offer, 'first', { kind: 'hide' })._unsafeUnwrap()).toMatchObject({ repeated: true });
    expect(offer.commands).toHaveLength(COMMANDS_KEPT + 1);
  });
});

describe('boundaries', () => {
  const source = { namespace: 'n', externalId: 'e' };
  const load = { kind: 'feedUpdate', content: sampleContent(), geo: undefined, source } as const;
  test('[X14] [G13] an offer expires at its very moment, and not before', () => {
    const offer = fresh();
    const at = offer.expiresAtUs!;
    expect(on(offer, { kind: 'expire' }, { nowUs: at - 1 })._unsafeUnwrap().kind).toBe('none');
    expect(change(on(offer, { kind: 'expire' }, { nowUs: at })).offer.lifecycle).toBe('expired');
  });
  test('[X14] [G8] an entry of a feed finds no removed offer that was not banned', () => {
    const removed = after(fresh(source), { kind: 'remove' });
    expect(on(removed, load)).toEqual(err({ kind: 'NotFound', offerId: id }));
  });
  test('[X14] [G8] an entry that says the same makes an expired offer active again', () => {
    const expired = { ...fresh(source), lifecycle: 'expired' } as const;
    expect(change(on(expired, load)).offer.lifecycle).toBe('active');
    expect(on(fresh(source), load)._unsafeUnwrap().kind).toBe('none');
  });
  test('[X14] [G8] a sold offer that its feed lets go of gets no term; any other does', () => {
    const sold = after(fresh(source), { kind: 'sell', onPlatform: false });
    expect(after(sold, { kind: 'manual' }).expiresAtUs).toBeUndefined();
    expect(after(fresh(source), { kind: 'manual' }).expiresAtUs).toBe(context.nowUs + 30 * DAY_US);
  });
});

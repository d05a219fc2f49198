import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shardOf } from '../../kernel/index.ts';
import { alteration, publication } from '../testing/gost-stores.ts';
import { DAY_US, sampleContent, sampleContext } from '../testing/samples.ts';
import type { ChangeCommand } from '../offer/command.ts';
import { decide } from '../offer/decide.ts';
import type { Offer, OfferSource } from '../offer/offer.ts';
import { timerOf, type TimerKey } from './timer.ts';

const SHARDS = 4;
const source: OfferSource = { namespace: 'shop', externalId: 'e1' };
const fresh = (): Offer => publication(1, { shards: SHARDS }).offer;
const late = { nowUs: 1_000_000_000 + 31 * DAY_US };
const altered = (offer: Offer, command: Parameters<typeof alteration>[1], context = {}) =>
  alteration(offer, command, { shards: SHARDS, ...context });

describe('timers', () => {
  test.each([
    { name: 'sold', command: { kind: 'sell', onPlatform: false } as const, context: {} },
    { name: 'removed', command: { kind: 'remove' } as const, context: {} },
    { name: 'expired', command: { kind: 'expire' } as const, context: late },
  ])('[G17] an offer that is $name waits for the archive from that moment on', ({ command, context }) => {
    const before = fresh();
    const { offer, timerAdded, timerRemoved } = altered(before, command, context);
    expect(offer.retiredAtUs).toBe(offer.updatedAtUs);
    const shard = shardOf(offer.seller, SHARDS);
    expect(timerAdded).toEqual({ what: 'archive', shard, atUs: offer.updatedAtUs, offerId: offer.id });
    expect(timerRemoved).toEqual({ what: 'expiry', shard, atUs: before.expiresAtUs, offerId: offer.id });
  });
  test('[G17] what changes a retired offer without bringing it back makes it no younger', () => {
    const expired = altered(fresh(), { kind: 'expire' }, late).offer;
    const edited = altered(
      expired,
      { kind: 'edit', content: sampleContent({ title: 'later' }) },
      { nowUs: late.nowUs + DAY_US },
    );
    expect([edited.timerAdded, edited.timerRemoved]).toEqual([undefined, undefined]);
    expect(edited.offer.retiredAtUs).toBe(expired.retiredAtUs);
    const removed = altered(edited.offer, { kind: 'remove' }, { nowUs: late.nowUs + 2 * DAY_US });
    expect(removed.timerRemoved?.atUs).toBe(expired.retiredAtUs);
    expect(removed.timerAdded?.atUs).toBe(late.nowUs + 2 * DAY_US);
  });
  test('[G17] an offer that is put up again waits for its end, and for nothing else', () => {
    const sold = altered(fresh(), { kind: 'sell', onPlatform: true }).offer;
    const active = altered(sold, { kind: 'activate' });
    expect([active.timerRemoved?.what, active.timerAdded?.what]).toEqual(['archive', 'expiry']);
    expect(active.offer.retiredAtUs).toBeUndefined();
  });
  test('[G17] what a feed still speaks of is not on its way to the archive; once it lets go, it is', () => {
    const sold: Offer = { ...altered(fresh(), { kind: 'sell', onPlatform: true }).offer, source };
    expect(timerOf(sold, SHARDS)).toBeUndefined();
    const free = altered(sold, { kind: 'manual', by: 'feed' });
    expect(free.timerAdded).toMatchObject({ what: 'archive', atUs: sold.retiredAtUs });
    // No entry of a feed finds a removed one.
    const removed: Offer = { ...altered({ ...fresh(), source }, { kind: 'remove' }).offer };
    expect(timerOf(removed, SHARDS)?.what).toBe('archive');
  });
  test('[G17] an offer that was retired before the moment was stored gets it with its next change', () => {
    const old: Offer = {
      ...altered(fresh(), { kind: 'sell', onPlatform: true }).offer,
      retiredAtUs: undefined,
    };
    expect(timerOf(old, SHARDS)).toBeUndefined();
    const heard = altered(old, { kind: 'ban', editable: true, reasons: [], opinionVersion: 1 });
    expect(heard.timerRemoved).toBeUndefined();
    expect(heard.timerAdded?.atUs).toBe(heard.offer.updatedAtUs);
  });
  test('[G13] [G17] after any history the timers that were added and not removed are the one the record has', () => {
    const kinds = [
      'edit',
      'hide',
      'activate',
      'sell',
      'ban',
      'unban',
      'prolong',
      'remove',
      'expire',
      'erase',
    ] as const;
    const steps = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(40)), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (plan) => {
        const kept = new Map<string, TimerKey>();
        const name = (key: TimerKey): string => JSON.stringify(key);
        let { offer, timerAdded } = publication(1, { shards: SHARDS });
        if (timerAdded) kept.set(name(timerAdded), timerAdded);
        let nowUs = sampleContext().nowUs;
        plan.forEach(([kind, days], n) => {
          nowUs += days * DAY_US;
          const more = {
            content: sampleContent({ title: `t${n}` }),
            onPlatform: true,
            editable: true,
            reasons: [],
            opinionVersion: n + 1,
          };
          const command = { id: `c${n}`, by: 'seller', kind, ...more } as unknown as ChangeCommand;
          const decision = decide(offer, command, sampleContext({ shards: SHARDS, nowUs }));
          if (decision.isErr() || decision.value.kind === 'none') return;
          const { change } = decision.value;
          if (change.timerRemoved) expect(kept.delete(name(change.timerRemoved))).toBe(true);
          if (change.timerAdded) kept.set(name(change.timerAdded), change.timerAdded);
          ({ offer, timerAdded } = change);
        });
        const timer = timerOf(offer, SHARDS);
        expect([...kept.values()]).toEqual(timer ? [timer] : []);
      }),
      { numRuns: 1000 },
    );
  });
});

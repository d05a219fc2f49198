import { shardOf } from '../../kernel/index.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { Lifecycle } from '../offer/status.ts';

/** What an offer waits for: its end, or, once it has ended, the archive. The numbers are stored: they never change. */
export const TIMERS = { expiry: 1, archive: 2 } as const;
export type Timer = keyof typeof TIMERS;
/** An offer has at most one. `atUs`: when it runs out; of a retired offer, since when it is one. */
export type TimerKey = {
  readonly what: Timer;
  readonly shard: number;
  readonly atUs: number;
  readonly offerId: OfferId;
};

const RETIRED: ReadonlySet<Lifecycle> = new Set<Lifecycle>(['expired', 'sold', 'removed']);
/** Since when the offer is what it is, if that is the end; an edit does not make it younger. */
export const retiredSince = (
  before: Pick<Offer, 'lifecycle' | 'retiredAtUs'> | undefined,
  { lifecycle, updatedAtUs }: Pick<Offer, 'lifecycle' | 'updatedAtUs'>,
): number | undefined => {
  if (!RETIRED.has(lifecycle)) return undefined;
  return (before?.lifecycle === lifecycle ? before.retiredAtUs : undefined) ?? updatedAtUs;
};

type Timed = Pick<Offer, 'id' | 'seller' | 'source' | 'lifecycle' | 'expiresAtUs' | 'retiredAtUs'>;
/**
 * Only what is active runs out, under a ban too. What a feed still speaks of stays where the feed finds it; a removed
 * offer is none that an entry would find.
 */
export const timerOf = (offer: Timed | undefined, shards: number): TimerKey | undefined => {
  if (!offer) return undefined;
  const key = (what: Timer, atUs: number | undefined): TimerKey | undefined =>
    atUs === undefined ? undefined : { what, shard: shardOf(offer.seller, shards), atUs, offerId: offer.id };
  if (offer.lifecycle === 'active') return key('expiry', offer.expiresAtUs);
  const free = offer.source === undefined || offer.lifecycle === 'removed';
  return free && RETIRED.has(offer.lifecycle) ? key('archive', offer.retiredAtUs) : undefined;
};

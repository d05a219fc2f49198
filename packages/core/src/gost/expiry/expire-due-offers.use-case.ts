import type { ResultAsync } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { CommandId } from '../offer/offer.ts';
import type { Timers } from './timers.port.ts';
import type { ChangeOffers } from '../offer/change-offers.use-case.ts';
import { nowUsOf } from '../settings.ts';

export type ExpireDueOffersNeeds = {
  readonly timers: Timers;
  readonly changeOffers: ChangeOffers;
  readonly clock: Clock;
};
/** `found` below the limit: nothing more is due. `failed` are tried again by the next call. */
export type Expired = { readonly found: number; readonly expired: number; readonly failed: number };
export type ExpireDueOffers = (shard: number, limit: number) => ResultAsync<Expired, Unavailable>;

/** What has run out expires by the same way as everything else changes; the command is named by the moment, so twice is once. */
export const makeExpireDueOffers =
  ({ timers, changeOffers, clock }: ExpireDueOffersNeeds): ExpireDueOffers =>
  (shard, limit) =>
    timers.due('expiry', shard, nowUsOf(clock), limit).map(async (due) => {
      const verdicts = await changeOffers(
        due.map(({ offerId, atUs }) => ({
          offerId,
          command: { kind: 'expire', id: `expire/${atUs}` as CommandId, by: 'time' },
        })),
      );
      const failed = verdicts.filter((verdict) => verdict.isErr()).length;
      const expired = verdicts.filter((verdict) => verdict.isOk() && verdict.value.changed).length;
      return { found: due.length, expired, failed };
    });

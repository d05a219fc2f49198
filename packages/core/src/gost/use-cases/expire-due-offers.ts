import type { ResultAsync } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { CommandId } from '../domain/offer.ts';
import type { Expiry } from '../ports/expiry.port.ts';
import type { ChangeOffers } from './change-offers.ts';
import { nowUsOf } from './settings.ts';

export type ExpireDueOffersNeeds = {
  readonly expiry: Expiry;
  readonly changeOffers: ChangeOffers;
  readonly clock: Clock;
};
/** `found` below the limit: nothing more is due. `failed` are tried again by the next call. */
export type Expired = { readonly found: number; readonly expired: number; readonly failed: number };
export type ExpireDueOffers = (shard: number, limit: number) => ResultAsync<Expired, Unavailable>;

/** What has run out expires by the same way as everything else changes; the command is named by the moment, so twice is once. */
export const makeExpireDueOffers =
  ({ expiry, changeOffers, clock }: ExpireDueOffersNeeds): ExpireDueOffers =>
  (shard, limit) =>
    expiry.due(shard, nowUsOf(clock), limit).map(async (due) => {
      const verdicts = await changeOffers(
        due.map(({ offerId, expiresAtUs }) => ({
          offerId,
          command: { kind: 'expire', id: `expire/${expiresAtUs}` as CommandId, by: 'time' },
        })),
      );
      const failed = verdicts.filter((verdict) => verdict.isErr()).length;
      const expired = verdicts.filter((verdict) => verdict.isOk() && verdict.value.changed).length;
      return { found: due.length, expired, failed };
    });

import { parseOfferId } from '../../gost/index.ts';
import type { Codec, RecordHandler } from '../../kernel/index.ts';
import type { RejectedDocument } from '../../vasgen/index.ts';
import { OFFERS_CLIENT } from '../scheduler/offers-client.ts';
import type { DeclaredEpochs } from '../scheduler/declared-epochs.use-case.ts';
import type { ParkedOffers } from './parked-offers.use-case.ts';

export type ConsumeRejectedNeeds = {
  readonly rejected: Codec<RejectedDocument>;
  readonly parking: ParkedOffers;
  readonly epochs: DeclaredEpochs;
  readonly retryMs: number;
};

const reasonOf = ({ verdict }: RejectedDocument): string => {
  if (verdict.kind !== 'invalid') return `the receiver says ${verdict.kind}`;
  return verdict.violations
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
};

/** What the receiver refused comes into the lot, so that it is composed anew and not forgotten. */
export const makeConsumeRejected = (needs: ConsumeRejectedNeeds): RecordHandler => {
  const { rejected, parking, epochs, retryMs } = needs;
  return async ({ value }) => {
    const decoded = rejected.decode(value);
    if (decoded.isErr()) return { kind: 'poison', reason: `Malformed: ${decoded.error.what}` };
    const { client, document, verdict } = decoded.value;
    if (client !== OFFERS_CLIENT) return { kind: 'done' };
    const offerId = parseOfferId(document.pk);
    // A document that is no offer was sent by another program: there is nothing to compose anew.
    if (offerId.isErr()) return { kind: 'done' };
    const retry = (reason: string) => ({ kind: 'retry' as const, afterMs: retryMs, reason });
    if (verdict.kind === 'unknown_epoch') {
      epochs.forget();
      const living = await epochs.living();
      if (living.isErr()) return retry(living.error.what);
      // The epoch is gone, and its index with it.
      if (!living.value.some(({ epoch }) => epoch === document.epoch)) return { kind: 'done' };
    }
    const parked = await parking.park(
      [
        {
          offerId: offerId.value,
          cause: 'rejected',
          reason: reasonOf(decoded.value),
          versionUs: document.event === 'upsert' ? document.version : 0,
        },
      ],
      'later',
    );
    return parked.isOk() ? { kind: 'done' } : retry(parked.error.what);
  };
};

import { err, ok, type Result } from 'neverthrow';
import type { Logger, Metrics, Unavailable } from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import type { ComposeDocuments } from '../scheduler/compose-documents.use-case.ts';
import type { CtrQueue, QueuedOffer } from './ctr-stores.port.ts';

export type Resent = { readonly offers: number; readonly unknown: number; readonly failed: number };
/** Works the queue once, from its beginning to its end. */
export type ResendOffers = (signal: AbortSignal) => Promise<Result<Resent, Unavailable>>;
export type ResendNeeds = {
  readonly queue: CtrQueue;
  readonly offers: OfferSource;
  readonly compose: ComposeDocuments;
  readonly publish: (documents: readonly RawDocument[]) => Promise<Result<void, Unavailable>>;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Offers that the offer store is asked for at once. */
const FIND_MAX = 100;

/** Sends the queued offers to the index again, with the click rates of the current load. */
export const makeResendOffers = (needs: ResendNeeds): ResendOffers => {
  const { queue, offers, compose, publish, logger, metrics } = needs;
  const counter = metrics.counter({
    name: 'doska_search_ctr_resent_total',
    help: 'Queued offers by what became of them.',
    labels: ['outcome'],
  });

  const resend = async (some: readonly QueuedOffer[]): Promise<Result<Resent, Unavailable>> => {
    const ids = [...new Set(some.map(({ offerId }) => offerId))];
    const found = await offers.find(ids);
    if (found.isErr()) return err(found.error);
    const batch = compose.batch(ids);
    const documents: RawDocument[] = [];
    const failed = new Set<string>();
    for (const view of found.value.values()) {
      const composed = await batch.ofView(view);
      if (composed.isOk()) documents.push(...composed.value);
      else if (composed.error.kind === 'Unavailable') return err(composed.error);
      else {
        failed.add(view.id);
        logger.warn('a queued offer can not be converted; it stays in the queue', {
          offer: view.id,
          reason: composed.error.reason,
        });
      }
    }
    const written = await publish(documents);
    if (written.isErr()) return err(written.error);
    // Only what is written leaves the queue. The same offer of a newer table stays: it may need newer rates.
    const removed = await queue.remove(some.filter(({ offerId }) => !failed.has(offerId)));
    if (removed.isErr()) return err(removed.error);
    const unknown = ids.length - found.value.size;
    return ok({ offers: found.value.size - failed.size, unknown, failed: failed.size });
  };

  return async (signal) => {
    let sum: Resent = { offers: 0, unknown: 0, failed: 0 };
    for (let after: QueuedOffer | undefined; !signal.aborted;) {
      const some = await queue.next(after, FIND_MAX);
      if (some.isErr()) return err(some.error);
      if (some.value.length === 0) break;
      const done = await resend(some.value);
      if (done.isErr()) return err(done.error);
      const { offers: sent, unknown, failed } = done.value;
      for (const [outcome, times] of Object.entries({ sent, unknown, failed }))
        if (times > 0) counter.add(times, { outcome });
      sum = {
        offers: sum.offers + sent,
        unknown: sum.unknown + unknown,
        failed: sum.failed + failed,
      };
      // Offers that failed are passed over until the next run.
      after = some.value.at(-1);
    }
    return ok(sum);
  };
};

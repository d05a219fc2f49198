import { err, ok, type Result } from 'neverthrow';
import type { CatalogCache } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import { makeRecent, type Clock, type Codec, type Telemetry, type Unavailable } from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import type { ClickRates } from '../ctr/click-rates.port.ts';
import { deletionOf, documentOf, isErased, type LeftOut } from '../document/offer-document.ts';
import type { Rates } from '../document/price.ts';
import type { DeclaredEpochs } from './declared-epochs.use-case.ts';

/** Why an offer can't become documents now. It may succeed later. */
export type CompositionFailed = { readonly kind: 'CompositionFailed'; readonly reason: string };
export type ComposeDocuments = {
  /** The documents of an offer, one for each living epoch. */
  ofView(view: OfferView): Promise<Result<readonly RawDocument[], CompositionFailed | Unavailable>>;
  /** The deletions of an offer that does not exist, one for each living epoch. */
  ofMissing(id: OfferId, version: number): Promise<Result<readonly RawDocument[], Unavailable>>;
};
export type ComposeNeeds = {
  readonly catalog: Pick<CatalogCache, 'copy' | 'atLeast'>;
  readonly epochs: DeclaredEpochs;
  readonly clickRates: ClickRates;
  readonly cards: Codec<OfferCard>;
  readonly rates: Rates;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'metrics'>;
};

/** Offers whose last moment of composition is remembered. */
const REMEMBERED = 100_000;

export const makeComposeDocuments = (needs: ComposeNeeds): ComposeDocuments => {
  const { catalog, epochs, clickRates, cards, rates, clock, telemetry } = needs;
  const lastMs = makeRecent<OfferId, number>({ weightMax: REMEMBERED, weightOf: () => 1 });
  const leftOut = telemetry.metrics.counter({
    name: 'doska_search_left_out_total',
    help: 'Values of offers that were left out of the index, by reason.',
    labels: ['reason'],
  });
  const count = (left: LeftOut): void => {
    for (const [reason, times] of Object.entries(left)) if (times > 0) leftOut.add(times, { reason });
  };
  /** Later compositions of an offer are fresher, also in the same millisecond, and never older than the click rates used. */
  const composedAt = (id: OfferId, notBeforeMs: number): number => {
    const atMs = Math.max(clock.nowMs(), (lastMs.get(id) ?? 0) + 1, notBeforeMs);
    lastMs.put(id, atMs);
    return atMs;
  };
  const deletions = async (
    id: OfferId,
    version: number,
    event: 'delete' | 'erase',
  ): Promise<Result<readonly RawDocument[], Unavailable>> => {
    const living = await epochs.living();
    if (living.isErr()) return err(living.error);
    const composedAtMs = composedAt(id, 0);
    return ok(living.value.map(({ epoch }) => deletionOf(id, version, { epoch, composedAtMs }, event)));
  };

  return {
    ofMissing: (id, version) => deletions(id, version, 'delete'),
    ofView: async (view) => {
      if (view.status !== 'active')
        return deletions(view.id, view.updatedAtUs, isErased(view) ? 'erase' : 'delete');
      const copy = await catalog.atLeast(view.catalogVersion);
      if (copy.isErr()) return err({ kind: 'CompositionFailed', reason: 'no catalogue is loaded' });
      const known = copy.value.catalog;
      if (known.version < view.catalogVersion)
        return err({
          kind: 'CompositionFailed',
          reason: `the offer needs catalogue version ${view.catalogVersion}, the newest copy is ${known.version}`,
        });
      if (!known.category(view.category))
        return err({ kind: 'CompositionFailed', reason: `the catalogue has no category ${view.category}` });
      const living = await epochs.declared(known);
      if (living.isErr()) return err(living.error);
      const rate = await clickRates.of(view.id);
      if (rate.isErr()) return err(rate.error);
      const composedAtMs = composedAt(view.id, rate.value.epochMs);
      const documents = living.value.map(({ epoch, schema }) => {
        const composed = documentOf(
          view,
          { epoch, composedAtMs },
          { catalog: known, schema: schema.fields, rates, ctr: rate.value.ctr, cards },
        );
        count(composed.leftOut);
        return composed.document;
      });
      return ok(documents);
    },
  };
};

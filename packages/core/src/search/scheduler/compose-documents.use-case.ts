import { err, ok, type Result } from 'neverthrow';
import type { CatalogCache } from '../../catalog/index.ts';
import type { OfferId, OfferView } from '../../gost/index.ts';
import {
  makeRecent,
  unavailable,
  type Clock,
  type Codec,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferCard } from '../cards/offer-card.ts';
import type { ClickRates, CurrentRates } from '../ctr/click-rates.port.ts';
import { deletionOf, documentOf, isErased, type LeftOut } from '../document/offer-document.ts';
import type { Rates } from '../document/price.ts';
import type { DeclaredEpochs } from './declared-epochs.use-case.ts';

/** Why an offer can't become documents now. `lasting`: it is about the offer, not about a copy or a server that is behind. */
export type CompositionFailed = {
  readonly kind: 'CompositionFailed';
  readonly reason: string;
  readonly lasting: boolean;
};
export type ComposeBatch = {
  /** The documents of an offer, one for each living epoch. */
  ofView(view: OfferView): Promise<Result<readonly RawDocument[], CompositionFailed | Unavailable>>;
  /** The deletions of an offer that does not exist, one for each living epoch. */
  ofMissing(id: OfferId, version: number): Promise<Result<readonly RawDocument[], Unavailable>>;
};
export type ComposeDocuments = {
  /** Composes these offers. Their click rates are read anew, all at once, when the first one needs its rate. */
  batch(ids: readonly OfferId[]): ComposeBatch;
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

/** Click rates of a batch. A document is no fresher than the reading of its rate. */
type RatesRead = CurrentRates & { readonly readAtMs: number };

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
  const composedAt = (id: OfferId, fromMs: number): number => {
    const atMs = Math.max(fromMs, (lastMs.get(id) ?? 0) + 1);
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
    const composedAtMs = composedAt(id, clock.nowMs());
    return ok(living.value.map(({ epoch }) => deletionOf(id, version, { epoch, composedAtMs }, event)));
  };

  const readRates = async (ids: readonly OfferId[]): Promise<Result<RatesRead, Unavailable>> => {
    const readAtMs = clock.nowMs();
    const aboutMs = ids.reduce((latestMs, id) => Math.max(latestMs, lastMs.get(id) ?? 0), readAtMs);
    return clickRates.of(ids, aboutMs).map((current) => ({ ...current, readAtMs }));
  };
  const upserts = async (
    view: OfferView,
    ratesOf: () => Promise<Result<RatesRead, Unavailable>>,
  ): Promise<Result<readonly RawDocument[], CompositionFailed | Unavailable>> => {
    const copy = await catalog.atLeast(view.catalogVersion);
    if (copy.isErr())
      return err({ kind: 'CompositionFailed', reason: 'no catalogue is loaded', lasting: false });
    const known = copy.value.catalog;
    if (known.version < view.catalogVersion)
      return err({
        kind: 'CompositionFailed',
        reason: `the offer needs catalogue version ${view.catalogVersion}, the newest copy is ${known.version}`,
        lasting: false,
      });
    if (!known.category(view.category))
      return err({
        kind: 'CompositionFailed',
        reason: `the catalogue has no category ${view.category}`,
        lasting: true,
      });
    const living = await epochs.declared(known);
    if (living.isErr()) return err(living.error);
    const read = await ratesOf();
    if (read.isErr()) return err(read.error);
    const { fromMs, untilMs, readAtMs } = read.value;
    const ctr = read.value.rates.get(view.id);
    // The time of the reading, not of the writing: a pause between them must not make an old rate fresher than a new one.
    const composedAtMs = composedAt(view.id, Math.max(readAtMs, fromMs));
    // A later load does not know that this document is to be outdone: the next attempt reads the rates anew.
    if (composedAtMs > untilMs) return err(unavailable(`offer ${view.id} is composed too often`));
    const documents = living.value.map(({ epoch, schema }) => {
      const composed = documentOf(
        view,
        { epoch, composedAtMs },
        { catalog: known, schema: schema.fields, rates, ctr, cards },
      );
      count(composed.leftOut);
      return composed.document;
    });
    return ok(documents);
  };

  return {
    batch: (ids) => {
      let read: RatesRead | undefined;
      const ratesOf = async (): Promise<Result<RatesRead, Unavailable>> => {
        if (read) return ok(read);
        const found = await readRates(ids);
        if (found.isOk()) read = found.value;
        return found;
      };
      return {
        ofMissing: (id, version) => deletions(id, version, 'delete'),
        // Only active offers need the catalogue and click rates.
        ofView: async (view) =>
          view.status === 'active'
            ? upserts(view, ratesOf)
            : deletions(view.id, view.updatedAtUs, isErased(view) ? 'erase' : 'delete'),
      };
    },
  };
};

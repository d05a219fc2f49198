import { err, ok, type Result } from 'neverthrow';
import { makeRecent, type Codec, type Unavailable } from '../../kernel/index.ts';
import type { Hit } from '../../vasgen/index.ts';
import type { EpochGone, SearchIndex } from '../query/search-index.port.ts';
import type { OfferCard } from './offer-card.ts';

export type ReadCards = (
  epoch: number,
  hits: readonly Hit[],
) => Promise<Result<ReadonlyMap<string, OfferCard>, EpochGone | Unavailable>>;
export type ReadCardsNeeds = {
  readonly index: Pick<SearchIndex, 'documents'>;
  readonly cards: Codec<OfferCard>;
  /** Memory for cards that were read before. */
  readonly bytesMax: number;
};

/** A card costs about this much besides its texts. */
const CARD_BYTES = 300;
/** A letter of a title, with its share of the words that are kept for highlights. */
const TITLE_CHAR_BYTES = 20;
const weightOf = ({ title, address = '' }: OfferCard): number =>
  CARD_BYTES + TITLE_CHAR_BYTES * title.length + 2 * address.length;

/** The cards of hits. A card is remembered by the place of its document: another place is another card. */
export const makeReadCards = ({ index, cards, bytesMax }: ReadCardsNeeds): ReadCards => {
  const known = makeRecent<string, OfferCard>({ weightMax: bytesMax, weightOf });
  const keyOf = (pk: string, { epoch, version, timestampMs }: Hit['freshness']): string =>
    `${epoch}/${version}/${timestampMs}/${pk}`;
  return async (epoch, hits) => {
    const found = new Map<string, OfferCard>();
    const missing: string[] = [];
    for (const { pk, freshness } of hits) {
      const card = known.get(keyOf(pk, freshness));
      if (card) found.set(pk, card);
      else missing.push(pk);
    }
    if (missing.length === 0) return ok(found);
    const documents = await index.documents(epoch, missing);
    if (documents.isErr()) return err(documents.error);
    for (const { pk, payload, version, composedAtMs } of documents.value) {
      const card = payload && cards.decode(payload);
      if (!card?.isOk()) continue;
      found.set(pk, card.value);
      known.put(keyOf(pk, { epoch, version, timestampMs: composedAtMs, kind: 'document' }), card.value);
    }
    return ok(found);
  };
};

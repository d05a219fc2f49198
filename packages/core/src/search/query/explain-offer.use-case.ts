import { err, ok, type Result } from 'neverthrow';
import type { Catalog } from '../../catalog/index.ts';
import { invalidInput, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import type {
  ExplainAnswer,
  ExplainedBoost,
  ExplainedCondition,
  ExplainedDocument,
  ExplainedWord,
  FieldValue,
} from '../../vasgen/index.ts';
import { asBuyersError, type AskedIndex, type AskIndex } from './ask-index.use-case.ts';
import { formatFilter } from './filter-text.ts';
import type { UsedCorrection } from './found-offers.ts';
import type { SearchIndex } from './search-index.port.ts';
import type { RawQuery, SearchQuery } from './search-query.ts';

/** What keeps an offer out of the results. `subject`: the word, the filter as in the request, or the category. */
export type Exclusion = {
  readonly kind: 'index' | 'text' | 'word' | 'category' | 'filter';
  readonly subject: string;
  /** A sentence for people. */
  readonly reason: string;
};
export type OfferExplanation = {
  readonly offerId: string;
  readonly found: boolean;
  /** Its place among all results, and its page with pages of the asked size. Undefined if it is not found. */
  readonly rank: number | undefined;
  readonly page: number | undefined;
  readonly pageSize: number;
  /** All results of the query. */
  readonly total: number;
  readonly exclusions: readonly Exclusion[];
  /** The version of the offer that the index has, in microseconds; undefined if it has none. */
  readonly version: number | undefined;
  /** The parts of its score; undefined if the index does not have it. */
  readonly score:
    | {
        readonly words: readonly ExplainedWord[];
        readonly relevance: number;
        readonly boosts: readonly ExplainedBoost[];
        readonly total: number;
      }
    | undefined;
  readonly spelling: UsedCorrection | undefined;
  /** True: time or memory ran out, so the rank is not known. */
  readonly cut: boolean;
  readonly epoch: number;
  readonly searcher: string;
  readonly generation: number;
  readonly indexAgeMs: number;
};
export type ExplainOffer = (
  raw: RawQuery,
  offerId: string,
) => Promise<Result<OfferExplanation, InvalidInput | Unavailable>>;
export type ExplainOfferNeeds = {
  readonly askIndex: AskIndex;
  readonly index: Pick<SearchIndex, 'explain'>;
};

const ID_CHARS_MAX = 100;

const seen = (value: FieldValue | undefined): string => {
  if (value === undefined) return 'the offer says nothing';
  if (typeof value !== 'object') return `the offer has ${String(value)}`;
  if ('lat' in value) return `the offer is at ${value.lat},${value.lon}`;
  return `the offer has ${value.join(', ')}`;
};
const ofWords = ({ text }: ExplainedDocument): readonly Exclusion[] => {
  if (!text || text.holds) return [];
  const missing = text.words.filter(({ holds }) => !holds);
  if (missing.length === 0)
    return [{ kind: 'text', subject: '', reason: 'the text has no word that can be searched for' }];
  return missing.map(({ word, documents }) => ({
    kind: 'word',
    subject: word,
    reason:
      documents === 0
        ? `no offer has the word ${word}`
        : `the offer does not have the word ${word}; ${documents} offers have it`,
  }));
};
const ofCondition = (
  { path, value }: ExplainedCondition,
  query: SearchQuery,
  known: Catalog | undefined,
): Exclusion => {
  const at = /^choices\[(\d+)\]/.exec(path)?.[1];
  const chosen = at === undefined ? undefined : query.filters[Number(at)];
  if (chosen) {
    const subject = formatFilter(chosen);
    return { kind: 'filter', subject, reason: `the filter ${subject} excludes it: ${seen(value)}` };
  }
  const category = query.category ?? '';
  const below = known?.category(category as never)?.names.en ?? category;
  const has = typeof value === 'string' ? `its category is ${value}` : 'the offer has no category';
  return { kind: 'category', subject: category, reason: `${has}, which is not below ${below}` };
};

const exclusionsOf = (told: ExplainAnswer, { query, known }: AskedIndex): readonly Exclusion[] => {
  switch (told.state) {
    case 'unknown':
      return [{ kind: 'index', subject: '', reason: 'the index does not have the offer' }];
    case 'tombstone':
      return [{ kind: 'index', subject: '', reason: 'the offer was deleted from the index' }];
    case 'alive': {
      if (told.matches) return [];
      const failed = told.conditions.filter(({ holds, path }) => !holds && !path.includes('.of'));
      return [...ofWords(told), ...failed.map((one) => ofCondition(one, query, known))];
    }
  }
};

/** Why an offer is in the results of a query or not. */
export const makeExplainOffer =
  ({ askIndex, index }: ExplainOfferNeeds): ExplainOffer =>
  async (raw, offerId) => {
    if (offerId === '' || offerId.length > ID_CHARS_MAX)
      return err(
        invalidInput({ path: 'offer_id', code: 'Malformed', message: `1 to ${ID_CHARS_MAX} characters` }),
      );
    const asked = await askIndex(raw, { isCountOnly: true });
    if (asked.isErr()) return err(asked.error);
    const { query, request, answer, correction } = asked.value;
    const told = await index.explain({ ...request, epoch: answer.epoch }, offerId);
    if (told.isErr()) return err(asBuyersError(told.error));
    const alive = told.value.state === 'alive' ? told.value : undefined;
    const rank = alive?.rank;
    return ok({
      offerId,
      found: alive?.matches ?? false,
      rank,
      page: rank === undefined ? undefined : Math.ceil(rank / query.pageSize),
      pageSize: query.pageSize,
      total: answer.total,
      exclusions: exclusionsOf(told.value, asked.value),
      version: told.value.state === 'unknown' ? undefined : told.value.freshness.version,
      score: alive && {
        words: alive.text?.words ?? [],
        relevance: alive.relevance,
        boosts: alive.boosts,
        total: alive.score,
      },
      spelling: correction && {
        original: query.text,
        corrected: correction.text,
        words: correction.words,
      },
      cut: alive?.cut !== undefined,
      epoch: told.value.epoch,
      searcher: told.value.searcher,
      generation: told.value.generation,
      indexAgeMs: told.value.indexAgeMs,
    });
  };

import type { CatalogCache } from '../catalog/index.ts';
import {
  makePageTokens,
  type Clock,
  type Codec,
  type Ids,
  type LogPublisher,
  type Signer,
  type Telemetry,
} from '../kernel/index.ts';
import type { Analyzer } from '../vasgen/index.ts';
import type { OfferCard } from './cards/offer-card.ts';
import { makeReadCards } from './cards/read-cards.use-case.ts';
import { makeQueryIds } from './events/query-ids.ts';
import { makeRecordEvents, type RecordEvents } from './events/record-events.use-case.ts';
import type { SearchEvents } from './events/search-event.ts';
import {
  makeExplainFilter,
  makeGetFilters,
  type ExplainFilter,
  type GetFilters,
} from './filters/ask-filters.use-case.ts';
import { makeAskIndex } from './query/ask-index.use-case.ts';
import { makeExplainOffer, type ExplainOffer } from './query/explain-offer.use-case.ts';
import { makeReadSnippets } from './query/read-snippets.use-case.ts';
import type { SearchIndex } from './query/search-index.port.ts';
import type { SnippetSource } from './query/snippet-source.port.ts';
import { makeSearchOffers, type SearchOffers } from './query/search-offers.use-case.ts';
import type { SearchSettings } from './settings.ts';
import { keepDictionary } from './spelling/keep-dictionary.use-case.ts';
import { correctText, type SpellChecker } from './spelling/spell-checker.ts';
import { makeSuggest, type Suggest } from './suggest/suggest.use-case.ts';

export type SearchApiPorts = {
  readonly catalog: Pick<CatalogCache, 'copy' | 'atLeast'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly index: SearchIndex;
  readonly analyzer: Pick<Analyzer, 'terms' | 'words'>;
  readonly signer: Signer;
  readonly ids: Ids;
  readonly log: LogPublisher;
  readonly events: Codec<SearchEvents>;
  readonly cards: Codec<OfferCard>;
  /** Undefined: answers have no snippets. */
  readonly snippets?: SnippetSource;
};
/** What buyers ask. */
export type SearchApi = {
  readonly searchOffers: SearchOffers;
  readonly getFilters: GetFilters;
  readonly explainFilter: ExplainFilter;
  readonly suggest: Suggest;
  readonly explainOffer: ExplainOffer;
  readonly recordEvents: RecordEvents;
  /** Keeps the words of the spell checker fresh until the signal. */
  readonly keepDictionary: (signal: AbortSignal) => Promise<void>;
};

/** Opens the search API of one process. */
export const openSearchApi = (ports: SearchApiPorts, settings: SearchSettings): SearchApi => {
  const { index, catalog, cards, analyzer, signer, clock, telemetry } = ports;
  const dictionary = keepDictionary({
    index,
    analyzer,
    clock,
    telemetry,
    everyMs: settings.dictionaryEveryMs,
  });
  const spelling: SpellChecker = {
    correct: (text, known) => {
      const words = dictionary.current();
      return words && correctText(text, { analyzer, dictionary: words, catalog: known });
    },
  };
  const tokens = makePageTokens(signer);
  const { isOn, eventsMax, answerMs } = settings.events;
  const queryIds = makeQueryIds({ tokens, ids: ports.ids, clock, answerMs });
  const askIndex = makeAskIndex({ spelling, index, catalog, analyzer, clock, settings, tokens });
  const readCards = makeReadCards({ index, cards, bytesMax: settings.cardBytesMax });
  return {
    keepDictionary: dictionary.keep,
    suggest: makeSuggest({
      index,
      catalog,
      readCards,
      analyzer,
      clock,
      settings,
      prefixes: () => dictionary.current()?.prefixes,
    }),
    searchOffers: makeSearchOffers({
      askIndex,
      index,
      analyzer,
      telemetry,
      settings,
      tokens,
      queryIds: isOn ? queryIds : undefined,
      readCards,
      readSnippets: makeReadSnippets(ports.snippets),
    }),
    getFilters: makeGetFilters({ catalog, settings }),
    explainFilter: makeExplainFilter({ catalog, askIndex, settings }),
    explainOffer: makeExplainOffer({ askIndex, index }),
    recordEvents: makeRecordEvents({
      queryIds,
      log: ports.log,
      codec: ports.events,
      metrics: telemetry.metrics,
      isOn,
      eventsMax,
    }),
  };
};

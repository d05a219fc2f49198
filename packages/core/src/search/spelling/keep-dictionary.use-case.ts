import { limitRepeats, sleep, type Clock, type Telemetry } from '../../kernel/index.ts';
import { WORDS_MAX, type Analyzer } from '../../vasgen/index.ts';
import type { SearchIndex } from '../query/search-index.port.ts';
import { WordPrefixes } from '../suggest/word-prefixes.ts';
import type { Dictionary } from './spell-checker.ts';
import { WordIndex, type KnownWord } from './word-index.ts';

export type DictionaryNeeds = {
  readonly index: Pick<SearchIndex, 'execute' | 'words'>;
  readonly analyzer: Pick<Analyzer, 'terms'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  /** The shortest time between two readings of the words. */
  readonly everyMs: number;
};
/** The words for the spell checker and for suggestions. */
export type KeptWords = Dictionary & { readonly prefixes: WordPrefixes };
export type KeptDictionary = {
  /** The words of the last reading; undefined before the first one. */
  readonly current: () => KeptWords | undefined;
  /** Reads the words of the index when it has changed. True if they were read. */
  readonly refresh: () => Promise<boolean>;
  /** Refreshes until the signal. A large dictionary is read less often, so that it costs a small share of the time. */
  readonly keep: (signal: AbortSignal) => Promise<void>;
};

const ALPHABET = /^(?:[а-я]{2,}|[a-z]{2,})$/;
const TERMS_A_SLICE = 2_000;
/** Reading takes at most one part in so many. */
const SHARE = 20;

/** The words of the index for the spell checker, read apart from the queries. */
export const keepDictionary = (needs: DictionaryNeeds): KeptDictionary => {
  const { index, analyzer, clock, everyMs } = needs;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const sizes = needs.telemetry.metrics.gauge({
    name: 'doska_search_dictionary_words',
    help: 'Words that the spell checker knows.',
    labels: [],
  });
  let current: KeptWords | undefined;
  let state = '';

  const pause = (): Promise<void> => sleep(clock, 0, new AbortController().signal);
  const read = async (): Promise<readonly KnownWord[] | undefined> => {
    const all: KnownWord[] = [];
    for (let after: string | undefined; ;) {
      const page = await index.words({ limit: WORDS_MAX, ...(after !== undefined && { after }) });
      if (page.isErr()) {
        logger.warn('the words of the index can not be read', { error: page.error });
        return undefined;
      }
      all.push(...page.value);
      after = page.value.at(-1)?.word;
      if (page.value.length < WORDS_MAX) return all;
    }
  };
  const refresh = async (): Promise<boolean> => {
    const seen = await index.execute({ plan: '', page: { limit: 0 } });
    if (seen.isErr()) return false;
    const { searcher, epoch, generation } = seen.value;
    const found = `${searcher}/${epoch}/${generation}`;
    if (found === state) return false;
    const all = await read();
    if (!all) return false;
    const terms = new Set<string>();
    for (const [at, { word }] of all.entries()) {
      terms.add(analyzer.terms(word)[0] ?? '');
      if (at % TERMS_A_SLICE === TERMS_A_SLICE - 1) await pause();
    }
    const work = WordIndex.build(all.filter(({ word }) => ALPHABET.test(word)));
    for (;;) {
      const { done, value } = work.next();
      if (done) {
        current = { words: value, terms, prefixes: new WordPrefixes(all) };
        break;
      }
      await pause();
    }
    sizes.set(all.length, {});
    state = found;
    return true;
  };
  return {
    current: () => current,
    refresh,
    keep: async (signal) => {
      while (!signal.aborted) {
        const startMs = clock.nowMs();
        await refresh();
        await sleep(clock, Math.max(everyMs, SHARE * (clock.nowMs() - startMs)), signal);
      }
    },
  };
};

import { plainAnalyzer } from '@doska/core/vasgen/testing';
import type { Analyzer } from '@doska/core/vasgen';

/** A query with this word ends the thread of the engine, as running out of memory does. */
export const DEADLY_WORD = 'deadly';

/** The plain analyzer for an engine whose thread a test can end. */
export const dyingAnalyzer: Analyzer = {
  ...plainAnalyzer,
  terms: (text) => (text === DEADLY_WORD ? process.exit(1) : plainAnalyzer.terms(text)),
};

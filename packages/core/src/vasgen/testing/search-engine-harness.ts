import type { Analyzer } from '../engine/analyzer.port.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';

/** What an engine can do beyond the port's sets, counts and orders by column. */
export type SearchEnginePromises = {
  /** Scores are those of `engine/relevance.ts`, over the living documents. */
  readonly exactScores: boolean;
  readonly vectors: boolean;
  /** How many random corpora the suite tries; a server behind a socket tries fewer. */
  readonly corpora?: number;
};
export type SearchEngineHarness = {
  readonly open: () => Promise<{ readonly engine: SearchEngine; readonly close: () => Promise<void> }>;
  /** The one that the engine was opened with. */
  readonly analyzer: Analyzer;
  readonly promises: SearchEnginePromises;
};
export type EngineUnderTest = {
  readonly engine: SearchEngine;
  readonly analyzer: Analyzer;
  readonly promises: SearchEnginePromises;
};
export type SearchEngineCase = {
  readonly title: string;
  readonly run: (subject: EngineUnderTest) => Promise<void>;
};

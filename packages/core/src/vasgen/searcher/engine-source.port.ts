import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';

/** The engine's folder is used by another engine. */
export type EngineInUse = { readonly kind: 'EngineInUse'; readonly message: string };

/** Opens the engine of a searcher, again and again: an engine may die. */
export interface EngineSource {
  open(): ResultAsync<OpenedEngine, EngineInUse | Unavailable>;
}
export type OpenedEngine = {
  readonly engine: SearchEngine;
  /** Settles when the engine has died or was closed. */
  readonly ended: Promise<void>;
};

import { okAsync } from 'neverthrow';
import type { Env } from '../../kernel/testing.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import type { Vasgen } from '../open-vasgen.ts';
import { inMemoryEngine, memoryEngineServer, type InMemoryEngine } from './in-memory-engine.ts';
import { plainAnalyzer } from './plain-analyzer.ts';
import { waitUntil } from './simulated-operations.ts';

export type SimulatedSearcher = {
  readonly name: string;
  /** Where its engine stands while it is there. */
  readonly engines: Map<string, InMemoryEngine>;
  readonly engineOf: (right: SearchEngine) => SearchEngine;
  readonly open: (env: Env) => Promise<Vasgen>;
  readonly nowMs: () => number;
  /** It stops at this time, and comes back with the same folder. */
  readonly away: { readonly fromMs: number; readonly isOver: () => boolean } | undefined;
};

/** A searcher whose folder outlives its crashes. */
export const simulatedSearcher = ({
  name,
  engines,
  engineOf,
  open,
  nowMs,
  away,
}: SimulatedSearcher): ((env: Env) => Promise<void>) => {
  const folder = memoryEngineServer();
  let stays = away === undefined;
  const follow = async (env: Env, signal: AbortSignal): Promise<void> => {
    const vasgen = await open(env);
    const right = inMemoryEngine({
      analyzer: plainAnalyzer,
      server: folder,
      io: env.io,
      snapshotChanges: 3,
    });
    engines.set(name, right);
    const engine = engineOf(right);
    const searcher = vasgen.openSearcher({
      id: name,
      engines: { open: () => okAsync({ engine, ended: new Promise<void>(() => undefined) }) },
      blocked: { blocked: () => undefined, freed: () => undefined },
    });
    await searcher.run(signal);
  };
  return async (env) => {
    if (away && !stays) {
      const leaving = new AbortController();
      void waitUntil(() => nowMs() >= away.fromMs, env).then(() => leaving.abort());
      await follow(env, leaving.signal);
      engines.delete(name);
      await waitUntil(away.isOver, env);
      stays = true;
    }
    await follow(env, new AbortController().signal);
  };
};

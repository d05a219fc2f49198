import { direct, type Io } from '../../kernel/testing/io.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import { inMemoryEngine, memoryEngineServer } from './in-memory-engine.ts';

/** The engine port by brute force: slow, in memory, right. Tombstones are never deleted. */
export const referenceEngine = ({
  analyzer,
  io = direct,
}: {
  readonly analyzer: Analyzer;
  readonly io?: Io;
}): SearchEngine => inMemoryEngine({ analyzer, server: memoryEngineServer(), io });

import { join } from 'node:path';
import { openWorkerEngine } from '@doska/adapters-engine';
import type { Logger } from '@doska/core/kernel';
import type { EngineSource } from '@doska/core/vasgen';
import type { VasgenConfig } from './tokens.ts';

/** The engine's thread loads it by name. */
const ANALYZER = { module: '@doska/adapters-text', export: 'russianEnglishAnalyzer' };

/** Opens the embedded engine in a thread of its own, in the folder of this process. */
export const embeddedEngines = (config: VasgenConfig, dataDir: string, logger: Logger): EngineSource => {
  const dir = config.engineDir ?? join(dataDir, 'engine');
  return {
    open: () =>
      openWorkerEngine({
        dir,
        analyzer: ANALYZER,
        logger,
        horizonMs: config.horizonMs,
        heapMb: config.engineHeapMb,
        snapshotChanges: config.snapshotChanges,
        queryMs: config.queryMs,
      })
        .map((engine) => ({ engine, ended: engine.ended }))
        .mapErr((error) =>
          error.kind === 'FolderInUse'
            ? {
                kind: 'EngineInUse' as const,
                message: `${dir} is used by process ${error.pid}. Set DOSKA_VASGEN_ENGINE_DIR to a folder of its own.`,
              }
            : error,
        ),
  };
};

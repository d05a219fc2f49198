export {
  openEmbeddedEngine,
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EngineSettings,
  type OpenedIndex,
} from './engine/embedded-engine.ts';
export type { FolderInUse } from './engine/folder-lock.ts';
export type { AnalyzerModule } from './worker/protocol.ts';
export { openWorkerEngine, type WorkerEngine, type WorkerEngineOptions } from './worker/worker-engine.ts';

export {
  openEmbeddedEngine,
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  type EngineSettings,
  type OpenedIndex,
} from './engine/embedded-engine.ts';

export { DATA_FORMATS, contentTypesOf, formatOfType, type DataFormat } from './address/data-format.ts';
export { checkedKey, keyViolation } from './address/key-rules.ts';
export { languageOf, languageTag } from './address/language.ts';
export { isPlatformSegment, nameProblem, NAME_CHARS_MAX, PLATFORM_SEGMENTS } from './address/snippet-name.ts';
export { decodeSegment, splitPath, type PathParts } from './address/split-path.ts';
export { RETRY_TOPIC } from './config/check-names.ts';
export { compileConfig, type CompileNeeds } from './config/compile-config.ts';
export { explainSection, type ExplainedOption } from './config/explain.ts';
export {
  addPrefixes,
  livePrefixes,
  readPrefixes,
  retirePrefix,
  writePrefixes,
  type KeyPrefix,
  type KeyPrefixes,
  type WrongPrefixes,
} from './config/key-prefixes.ts';
export {
  type Conversion,
  type ConvertorDeclaration,
  type ExtractorDeclaration,
  type KnownParts,
} from './config/known-parts.ts';
export { OPTIONS, type OptionName } from './config/options.ts';
export { readConfig } from './config/read-config.ts';
export {
  describeMistake,
  type ConfigMistake,
  type MistakeCode,
  type WrittenSection,
  type WrongConfig,
} from './config/section.ts';
export {
  type ConfiguredSection,
  type Leaf,
  type SnippetConfig,
  type TopicInput,
} from './config/snippet-config.ts';
export { type Place } from './text-format/source.ts';
export { formatVersion, parseVersion, supersedes, type Version } from './version/version.ts';
export { type KeyPage, type ListedRow, type SnippetStore } from './store/snippet-store.port.ts';
export {
  DUE_SHARDS,
  ROWS_MAX,
  type Condition,
  type Content,
  type RecordVersion,
  type RowKey,
  type RowOutcome,
  type RowWrite,
  type SnippetWrite,
  type StoredRow,
  type WriteOutcome,
} from './store/stored-row.ts';
export { dueAtMs, isLive, judgeWrite, type KeptRow } from './store/judge-write.ts';

export { DATA_FORMATS, contentTypesOf, formatOfType, type DataFormat } from './address/data-format.ts';
export { checkedKey, keyViolation } from './address/key-rules.ts';
export { languageOf, languageTag } from './address/language.ts';
export { isPlatformSegment, nameProblem, NAME_CHARS_MAX, PLATFORM_SEGMENTS } from './address/snippet-name.ts';
export { decodeSegment, splitPath, type PathParts } from './address/split-path.ts';
export { makeBulkSnippets, type BulkDone, type BulkVerdict } from './bulk/bulk-snippets.use-case.ts';
export { RETRY_TOPIC } from './config/check-names.ts';
export { compileConfig, storedSections, type CompileNeeds } from './config/compile-config.ts';
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
export { dueAtMs, isLive, judgeWrite, type KeptRow, type KnownRow } from './store/judge-write.ts';
export { type LoadedConfig } from './config/loaded-config.ts';
export { checkJson } from './content/check-json.ts';
export { type ContentLimits, type LeafRefused, type PartFailed } from './content/prepare-leaf.ts';
export { makeStoredCheck, type StoredCheck, type StoredSnippet } from './content/stored-check.ts';
export { joinParts, type PartsRegistry, type PartTwice } from './content/registry.ts';
export {
  noSchemas,
  type Converted,
  type ConvertResult,
  type Convertor,
  type ExtractResult,
  type JsonSchemas,
  type KeyExtractor,
  type SectionInfo,
  type SnippetInput,
  type SnippetParts,
  type Validator,
} from './content/snippet-parts.ts';
export { loadConfig, type ConfigSource } from './content/load-config.ts';
export {
  defaultSnippetSettings,
  openSnippets,
  type SnippetPorts,
  type Snippets,
  type SnippetSettings,
} from './open-snippets.ts';
export {
  type DeleteAnswer,
  type DeleteCommand,
  type DeletedLeaf,
} from './requests/delete-snippet.use-case.ts';
export { type FoundSnippet, type GetQuery } from './requests/get-snippets.use-case.ts';
export { PAIRS_MAX, type KeyedSnippet, type MultiGetQuery } from './requests/multi-get.use-case.ts';
export { type PutAnswer, type PutCommand, type WriteLimits } from './requests/put-snippet.use-case.ts';
export {
  type ConditionFailed,
  type DeleteError,
  type GetError,
  type LeafVerdict,
  type MultiGetError,
  type NothingToDo,
  type PutError,
  type Refused,
  type SnippetNotFound,
  type TooLarge,
  type UnknownSection,
  type UnsupportedFormat,
  type VersionNotReached,
} from './requests/snippet-errors.ts';
export { builtInParts } from './content/built-in-parts.ts';
export {
  glueSnippets,
  keysToGlue,
  type GluedAnswer,
  type GluedSnippet,
  type HitWithSnippets,
} from './glue/glue-snippets.ts';
export { openSnippetTopics, type SnippetTopics, type TopicPorts, type TopicSettings } from './open-topics.ts';
export {
  prepareTopics,
  type PrepareTopicsError,
  type PublisherTimes,
} from './topics/prepare-topics.use-case.ts';
export { type Redrive, type RedriveError, type Redriven } from './topics/redrive.use-case.ts';
export { type TopicCodecs } from './topics/settle-records.use-case.ts';
export { groupOfSection, RETRY_GROUP, type SnippetRetry, type TopicRecord } from './topics/topic-record.ts';
export { type PrefixInUse, type PrefixPlace, type PrefixUpkeep } from './upkeep/prefix-upkeep.use-case.ts';

export {
  blobStoreCases,
  blobStoreContract,
  type BlobStoreCase,
  type BlobStoreHarness,
} from './testing/blob-store.contract.ts';
export { consumerFuzz, type ConsumerFuzz } from './testing/consumer-fuzz.ts';
export { countingIds } from './testing/counting-ids.ts';
export { downloaderContract, type DownloaderHarness } from './testing/downloader.contract.ts';
export { eventually } from './testing/eventually.ts';
export { genericStorageContract, type GenericStorageHarness } from './testing/generic-storage.contract.ts';
export {
  blobDigest,
  blobServer,
  inMemoryBlobStore,
  type BlobServer,
} from './testing/in-memory-blob-store.ts';
export {
  inMemoryDownloader,
  memoryWeb,
  type MemoryWeb,
  type WebPage,
} from './testing/in-memory-downloader.ts';
export { inMemoryGenericStorage } from './testing/in-memory-generic-storage.ts';
export { inMemoryLeaseStore } from './testing/in-memory-lease-store.ts';
export {
  inMemoryLogStorage,
  memoryLogServer,
  type MemoryLogServer,
} from './testing/in-memory-log-storage.ts';
export { inMemoryMessageLog, type InMemoryLogOptions } from './testing/in-memory-message-log.ts';
export { direct, type Env, type Io, type Op } from './testing/io.ts';
export { leaseStoreContract, type LeaseStoreHarness } from './testing/lease-store.contract.ts';
export {
  firstSeenByKey,
  freshTopic,
  publishSurely,
  readAll,
  record,
  recorder,
  surely,
  valueOf,
} from './testing/log-probe.ts';
export { manualClock, type ManualClock } from './testing/manual-clock.ts';
export {
  constrainedLimits,
  memoryDatabase,
  transact,
  type MemoryDatabase,
  type MemoryLimits,
  type MemoryRange,
  type MemoryTx,
} from './testing/memory-database.ts';
export { type MessageLogHarness, type OpenLog } from './testing/log-harness.ts';
export { messageLogContract } from './testing/message-log.contract.ts';
export { seededRandom, type SeededRandom } from './testing/seeded-random.ts';
export { shardLeasesContract, type ShardLeasesHarness } from './testing/shard-leases.contract.ts';
export { exhaust, type Exhausted, type ExhaustOptions } from './testing/simulation/exhaust.ts';
export { hunt, type Found, type Hunt, type HuntOptions } from './testing/simulation/hunt.ts';
export {
  FAULTS,
  type Fault,
  type Laws,
  type Main,
  type Outcome,
  type Plan,
  type ProcessOptions,
  type Scenario,
  type World,
} from './testing/simulation/scenario.ts';
export { shrink, type ShrinkOptions } from './testing/simulation/shrink.ts';
export { simulate, type SimulateOptions } from './testing/simulation/simulate.ts';
export { simulationTest, type SimulationTestOptions } from './testing/simulation/simulation-test.ts';
export { story } from './testing/simulation/story.ts';
export {
  fifo,
  pct,
  PORTFOLIO,
  pos,
  randomWalk,
  sticky,
  type MakeStrategy,
  type Runnable,
  type Strategy,
} from './testing/simulation/strategies.ts';
export { deviations, formatTape, parseTape } from './testing/simulation/tape.ts';
export { realClock, realIds, realRandom } from './testing/system.ts';
export { namedCallers } from './testing/named-callers.ts';
export { recordingTelemetry, type Line } from './testing/recording-telemetry.ts';
export { jsonCodec } from './testing/json-codec.ts';

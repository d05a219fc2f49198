import type { ArchiveManifest } from './archive/archive-manifest.port.ts';
import type { EpochStore } from './epochs/epoch-store.port.ts';
import type { DocumentQueues } from './queues/document-queues.port.ts';
import type { RefusalStore } from './receiver/refusal-store.port.ts';
import type { DocumentRegistry } from './registry/document-registry.port.ts';
import type { SearcherRows } from './searcher/searcher-rows.port.ts';

/** One database: what `accept` writes, `read` of the queues sees. */
export type VasgenStores = {
  readonly epochs: EpochStore;
  readonly registry: DocumentRegistry;
  readonly queues: DocumentQueues;
  readonly refusals: RefusalStore;
  readonly searchers: SearcherRows;
  readonly archive: ArchiveManifest;
};

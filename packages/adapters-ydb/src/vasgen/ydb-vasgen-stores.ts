import type { VasgenStores } from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import { makeShardTurns } from './shard-turns.ts';
import { ydbArchiveManifest } from './ydb-archive-manifest.ts';
import { ydbEpochStore } from './ydb-epoch-store.ts';
import { ydbQueues } from './ydb-queues.ts';
import { ydbRefusals } from './ydb-refusals.ts';
import { ydbRegistry } from './ydb-registry.ts';
import { ydbSearcherRows } from './ydb-searcher-rows.ts';

/** Every store of vasgen on one database. Open them once in a process: its commits take turns in each shard. */
export const ydbVasgenStores = (client: YdbClient): VasgenStores => {
  const turns = makeShardTurns();
  return {
    epochs: ydbEpochStore(client),
    registry: ydbRegistry(client, turns),
    queues: ydbQueues(client, turns),
    refusals: ydbRefusals(client),
    searchers: ydbSearcherRows(client),
    archive: ydbArchiveManifest(client),
  };
};

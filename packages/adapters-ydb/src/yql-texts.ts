import { PING } from './driver/ping.ts';
import { queryText, type Query } from './driver/query.ts';
import { archiveQueries } from './gost/archive-queries.ts';
import { commitQueries } from './gost/commit-queries.ts';
import { countQueries } from './gost/count-repair.ts';
import { PARTS } from './gost/offer-parts.ts';
import { totalsQueries } from './gost/totals-repair.ts';
import { cabinetQueries } from './gost/ydb-cabinet.ts';
import { draftQueries } from './gost/ydb-draft-store.ts';
import {
  ARCHIVE_DUE,
  DUE,
  PARK,
  PARKED,
  PARKED_OF_KEY,
  PARKED_ONE,
  QUEUE_DELETE,
  QUEUE_READ,
  SHARDS_READ,
  SHARDS_WRITE,
  UNPARK,
} from './gost/ydb-export-queue.ts';
import { feedQueries } from './gost/ydb-feed-store.ts';
import { OF_SELLER, SCAN } from './gost/ydb-offer-scan.ts';
import { HISTORY, REWRITE_HISTORY } from './gost/ydb-offer-store.ts';
import { leaseQueries } from './leases/lease-queries.ts';
import { migrationQueries, migrationTables } from './schema/migrate.ts';
import { migrations } from './schema/migration.ts';
import { snippetQueries } from './snippets/snippet-queries.ts';
import { storageQueries } from './storage/ydb-generic-storage.ts';
import { createTableText, type TableSpec } from './schema/table-spec.ts';
import { searchQueries } from './search/search-queries.ts';
import { archiveQueries as vasgenArchiveQueries } from './vasgen/archive-queries.ts';
import { queueQueries } from './vasgen/queue-queries.ts';
import { registryQueries } from './vasgen/registry-queries.ts';
import { epochQueries } from './vasgen/ydb-epoch-store.ts';
import { refusalQueries } from './vasgen/ydb-refusals.ts';
import { searcherQueries } from './vasgen/ydb-searcher-rows.ts';

/** Every query that this package sends. */
export const allQueries: readonly Query[] = [
  ...migrationQueries,
  ...leaseQueries,
  ...commitQueries,
  PARTS,
  HISTORY,
  SCAN,
  OF_SELLER,
  REWRITE_HISTORY,
  ...cabinetQueries,
  ...countQueries,
  ...totalsQueries,
  ...draftQueries,
  ...feedQueries,
  SHARDS_READ,
  SHARDS_WRITE,
  QUEUE_READ,
  QUEUE_DELETE,
  PARK,
  PARKED,
  PARKED_OF_KEY,
  PARKED_ONE,
  UNPARK,
  DUE,
  ARCHIVE_DUE,
  ...archiveQueries,
  ...storageQueries,
  ...snippetQueries,
  PING,
  ...epochQueries,
  ...registryQueries,
  ...queueQueries,
  ...refusalQueries,
  ...searcherQueries,
  ...vasgenArchiveQueries,
  ...searchQueries,
];
const allTables: readonly TableSpec[] = [
  ...migrationTables,
  ...migrations.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'createTable' ? [step.table] : [])),
  ),
];

export type YqlText = { readonly name: string; readonly text: string };
/** All texts of this package for a directory, tables included, for a check against YDB's grammar. */
export const yqlTexts = (directory = '/local/doska'): readonly YqlText[] => [
  ...allTables.map((table) => ({ name: `table-${table.name}`, text: createTableText(table, directory) })),
  ...allQueries.map((query) => ({
    name: query.name.replaceAll('/', '-'),
    text: queryText(query, directory),
  })),
];

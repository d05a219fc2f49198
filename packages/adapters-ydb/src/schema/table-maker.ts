import type { Ydb } from 'ydb-sdk';
import type { YdbClient } from '../driver/client.ts';
import { isNullable, isWireType, wireType, type StructSpec } from '../driver/column-type.ts';
import { sdk } from '../driver/sdk.ts';
import { statusOf } from '../driver/status.ts';
import { PARTITIONS, type TableSpec } from './table-spec.ts';

/** The columns of the table; undefined if it does not exist. */
const describe = (client: YdbClient, name: string): Promise<Ydb.Table.IColumnMeta[] | undefined> =>
  client.sdk.withSession(async (session) => {
    const { inTime, relativeDirectory } = client.sdk;
    try {
      return (await inTime(session.describeTable(`${relativeDirectory}/${name}`))).columns;
    } catch (cause) {
      if (statusOf(cause) === sdk.StatusCode.SCHEME_ERROR) return undefined;
      throw cause;
    }
  });
/** Describes the first column that is missing or has another type. */
const difference = (found: readonly Ydb.Table.IColumnMeta[], wanted: StructSpec): string | undefined =>
  Object.entries(wanted)
    .filter(([name, type]) => {
      const column = found.find((one) => one.name === name);
      // Some versions mark a NOT NULL column by a flag beside an optional type.
      const bare = column?.notNull ? (column.type?.optionalType?.item ?? column.type) : column?.type;
      return !isWireType(type, bare);
    })
    .map(([name, type]) => `${name} is not ${type}`)[0];

const create = (client: YdbClient, { name, columns, primaryKey }: TableSpec): Promise<void> =>
  client.sdk.withSession((session) => {
    const { Column, TableDescription, Ydb: api } = sdk;
    const { inTime, relativeDirectory } = client.sdk;
    const description = new TableDescription()
      .withColumns(...Object.entries(columns).map(([column, type]) => new Column(column, wireType(type))))
      .withPrimaryKeys(...primaryKey);
    description.withPartitioningSettings({
      partitioningBySize: api.FeatureFlag.Status.ENABLED,
      partitioningByLoad: api.FeatureFlag.Status.ENABLED,
      minPartitionsCount: PARTITIONS.minimum,
      maxPartitionsCount: PARTITIONS.maximum,
    });
    return inTime(session.createTable(`${relativeDirectory}/${name}`, description));
  });

/** Creates the directory and its parents; existing ones stay. */
export const makeDirectory = async ({
  sdk: { driver, inTime, relativeDirectory },
}: YdbClient): Promise<void> => {
  const parts = relativeDirectory.split('/');
  for (let depth = 1; depth <= parts.length; depth++)
    await inTime(driver.schemeClient.makeDirectory(parts.slice(0, depth).join('/')));
};
export const hasTable = async (client: YdbClient, name: string): Promise<boolean> =>
  (await describe(client, name)) !== undefined;
/** Creates the table unless it exists. Returns how an existing table of that name differs. */
export const ensureTable = async (client: YdbClient, table: TableSpec): Promise<string | undefined> => {
  const before = await describe(client, table.name);
  if (before) return difference(before, table.columns);
  try {
    await create(client, table);
    return undefined;
  } catch (cause) {
    const after = await describe(client, table.name);
    if (!after) throw cause;
    return difference(after, table.columns);
  }
};
export const ensureColumns = async (
  client: YdbClient,
  name: string,
  columns: StructSpec,
): Promise<string | undefined> => {
  const found = (await describe(client, name)) ?? [];
  const missing = Object.entries(columns).filter(([column]) => !found.some((one) => one.name === column));
  if (missing.some(([, type]) => !isNullable(type)))
    throw new TypeError(`${name}: a column that is added later must be nullable`);
  if (missing.length > 0)
    await client.sdk.withSession((session) => {
      const { AlterTableDescription, Column } = sdk;
      const { inTime, relativeDirectory } = client.sdk;
      const alteration = new AlterTableDescription();
      for (const [column, type] of missing) alteration.withAddColumn(new Column(column, wireType(type)));
      return inTime(session.alterTable(`${relativeDirectory}/${name}`, alteration));
    });
  return difference((await describe(client, name)) ?? [], columns);
};

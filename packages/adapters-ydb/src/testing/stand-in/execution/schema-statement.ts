import { Ydb } from 'ydb-sdk-proto';
import type { TableSchema } from '../storage/table-schema.ts';
import { isOptional, optional, typeFromProto, typeFromSyntax, typeToProto } from '../values/types.ts';
import type { StatementOf } from '../syntax/ast.ts';
import { YqlError } from '../yql-error.ts';

const { Status } = Ydb.FeatureFlag;
const seconds = (interval: string): number => {
  const found = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(interval);
  if (!found) throw YqlError.unsupported(`interval ${interval}`);
  const [days, hours, minutes, rest] = found.slice(1).map((part) => Number(part ?? 0));
  return days! * 86_400 + hours! * 3_600 + minutes! * 60 + rest!;
};
const PARTITIONING: Readonly<Record<string, string>> = {
  AUTO_PARTITIONING_BY_SIZE: 'partitioningBySize',
  AUTO_PARTITIONING_BY_LOAD: 'partitioningByLoad',
  AUTO_PARTITIONING_PARTITION_SIZE_MB: 'partitionSizeMb',
  AUTO_PARTITIONING_MIN_PARTITIONS_COUNT: 'minPartitionsCount',
  AUTO_PARTITIONING_MAX_PARTITIONS_COUNT: 'maxPartitionsCount',
};
const NUMBERS: Readonly<Record<string, number>> = { ENABLED: Status.ENABLED, DISABLED: Status.DISABLED };

/** What CREATE TABLE says. */
export const schemaFromSyntax = ({
  columns,
  primaryKey,
  indexes,
  settings,
}: StatementOf<'createTable'>): TableSchema => {
  if (indexes.length > 0) throw YqlError.unsupported('secondary indexes');
  let ttl: TableSchema['ttl'];
  const partitioning: Record<string, number> = {};
  for (const { name, value } of settings) {
    const field = PARTITIONING[name];
    if (value.kind === 'ttl') ttl = { column: value.column, afterSeconds: seconds(value.interval) };
    else if (field && value.kind === 'number') partitioning[field] = Number(value.text);
    else if (field && value.kind === 'word' && value.text in NUMBERS)
      partitioning[field] = NUMBERS[value.text]!;
    else throw YqlError.unsupported(`setting ${name}`);
  }
  const typed = columns.map(({ name, type, notNull }) => {
    const given = typeFromSyntax(type);
    return { name, type: notNull ? given : optional(given) };
  });
  return { columns: typed, primaryKey, ttl, partitioning };
};

/** What a CreateTable call says; nothing of it is passed over in silence. */
export const schemaFromProto = (request: Ydb.Table.CreateTableRequest): TableSchema => {
  const { columns, primaryKey, indexes, ttlSettings, partitioningSettings, profile } = request;
  if (
    indexes.length > 0 ||
    profile ||
    request.columnFamilies.length > 0 ||
    request.uniformPartitions ||
    request.partitionAtKeys
  )
    throw YqlError.unsupported('indexes, profiles, column families and given partitions');
  const date = ttlSettings?.dateTypeColumn;
  if (ttlSettings && !date) throw YqlError.unsupported('TTL by anything but a column of time');
  const known = new Set(Object.values(PARTITIONING));
  const given = Object.entries(partitioningSettings ?? {}).filter(
    ([, value]) => value && !Array.isArray(value),
  );
  const stranger = given.find(([name]) => !known.has(name));
  if (stranger) throw YqlError.unsupported(`partitioning setting ${stranger[0]}`);
  return {
    columns: columns.map(({ name, type }) => ({ name: name ?? '', type: typeFromProto(type) })),
    primaryKey,
    ttl: date ? { column: date.columnName ?? '', afterSeconds: date.expireAfterSeconds ?? 0 } : undefined,
    partitioning: Object.fromEntries(given.map(([name, value]) => [name, Number(value)])),
  };
};
export const schemaToProto = (schema: TableSchema): Ydb.Table.IDescribeTableResult => ({
  columns: schema.columns.map(({ name, type }) => ({
    name,
    type: typeToProto(type),
    notNull: !isOptional(type),
  })),
  primaryKey: [...schema.primaryKey],
  ...(schema.ttl
    ? {
        ttlSettings: {
          dateTypeColumn: { columnName: schema.ttl.column, expireAfterSeconds: schema.ttl.afterSeconds },
        },
      }
    : {}),
  partitioningSettings: schema.partitioning,
});

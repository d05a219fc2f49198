import { bare, isOptional, primitive, sameType, type YqlType } from '../values/types.ts';
import { YqlError } from '../yql-error.ts';

export type TableColumn = { readonly name: string; readonly type: YqlType };
/** A column that is NOT NULL has a type without Optional, as on the wire. */
export type TableSchema = {
  readonly columns: readonly TableColumn[];
  readonly primaryKey: readonly string[];
  readonly ttl: { readonly column: string; readonly afterSeconds: number } | undefined;
  /** What the stand-in keeps for `describe` and does nothing about. */
  readonly partitioning: Readonly<Record<string, number>>;
};

export const columnIndex = ({ columns }: TableSchema, name: string): number =>
  columns.findIndex((one) => one.name === name);
export const notNull = ({ type }: TableColumn): boolean => !isOptional(type);
export const keyIndexes = (schema: TableSchema): readonly number[] =>
  schema.primaryKey.map((name) => columnIndex(schema, name));

const KEYS = new Set([
  'Bool',
  'Uint8',
  'Int32',
  'Uint32',
  'Int64',
  'Uint64',
  'Timestamp',
  'Interval',
  'String',
  'Utf8',
]);
/** What YDB would refuse, and what this has no idea of. */
export const checkSchema = (schema: TableSchema): TableSchema => {
  const refuse = (why: string): never => {
    throw new YqlError('SCHEME_ERROR', why);
  };
  const names = schema.columns.map(({ name }) => name);
  if (new Set(names).size !== names.length) refuse('a column is named twice');
  if (schema.primaryKey.length === 0) refuse('a table needs a primary key');
  if (new Set(schema.primaryKey).size !== schema.primaryKey.length) refuse('a key column is named twice');
  for (const key of schema.primaryKey) {
    const column =
      schema.columns.find(({ name }) => name === key) ?? refuse(`key column ${key} is not a column`);
    const type = bare(column.type);
    if (type.kind !== 'primitive' || !KEYS.has(type.name)) refuse(`column ${key} can't be a key`);
  }
  for (const { name, type } of schema.columns)
    if (bare(type).kind !== 'primitive') refuse(`column ${name} has no type of a column`);
  const { ttl } = schema;
  const timed = ttl && schema.columns.find(({ name }) => name === ttl.column);
  if (ttl && !(timed && sameType(bare(timed.type), primitive('Timestamp'))))
    refuse(`TTL needs a column of time, not ${ttl.column}`);
  return schema;
};

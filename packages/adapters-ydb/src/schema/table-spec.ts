import { isNullable, scalarOf, type StructSpec } from '../driver/column-type.ts';

/** A table as data: both the created table and its text are made from it. */
export type TableSpec<S extends StructSpec = StructSpec> = {
  readonly name: string;
  readonly columns: S;
  /** The first column must not grow with time, else all new rows go to one partition. */
  readonly primaryKey: readonly string[];
};
export const table = <const S extends StructSpec>(
  spec: TableSpec<S> & { readonly primaryKey: readonly (keyof S & string)[] },
): TableSpec<S> => spec;

/** YDB splits partitions by size and by load. */
export const PARTITIONS = { minimum: 1, maximum: 1_000 } as const;

/** The table as text, for readers and for a check against YDB's grammar. */
export const createTableText = ({ name, columns, primaryKey }: TableSpec, directory: string): string => {
  const lines = Object.entries(columns).map(
    ([column, type]) => `  ${column} ${scalarOf(type)}${isNullable(type) ? '' : ' NOT NULL'},`,
  );
  return [
    `CREATE TABLE \`${directory}/${name}\` (`,
    ...lines,
    `  PRIMARY KEY (${primaryKey.join(', ')})`,
    ') WITH (',
    '  AUTO_PARTITIONING_BY_SIZE = ENABLED,',
    '  AUTO_PARTITIONING_BY_LOAD = ENABLED,',
    `  AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = ${PARTITIONS.minimum},`,
    `  AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = ${PARTITIONS.maximum}`,
    ');',
  ].join('\n');
};

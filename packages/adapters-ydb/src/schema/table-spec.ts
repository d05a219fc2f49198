import { isNullable, scalarOf, type StructSpec } from '../driver/column-type.ts';

/** A table as data: what is made, and what is written down for people, come from here. */
export type TableSpec<S extends StructSpec = StructSpec> = {
  readonly name: string;
  readonly columns: S;
  /** The first column never grows with time: all new rows would go to one partition. */
  readonly primaryKey: readonly string[];
};
export const table = <const S extends StructSpec>(
  spec: TableSpec<S> & { readonly primaryKey: readonly (keyof S & string)[] },
): TableSpec<S> => spec;

/** Split by size and by load; busy tables grow by themselves. */
export const PARTITIONS = { minimum: 1, maximum: 1_000 } as const;

/** The same as text: for people and for a check against YDB's grammar. */
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

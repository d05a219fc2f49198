import { fieldsOf, type IndexSchema } from '@doska/core/vasgen';
import { columnOf, type Column } from './columns.ts';
import { EnumDictionary } from './enum-dictionary.ts';

/** What all segments of an index share: the order of its fields and the values of its enums. */
export type IndexLayout = {
  readonly schema: IndexSchema;
  readonly texts: readonly { readonly name: string; readonly boost: number }[];
  readonly columnNames: readonly string[];
  readonly columnAt: ReadonlyMap<string, number>;
  /** Columns whose equal values lie together in sealed segments, the first one decides first. */
  readonly clusters: readonly number[];
  readonly dictionaries: ReadonlyMap<string, EnumDictionary>;
};

export const layoutOf = (schema: IndexSchema): IndexLayout => {
  const dictionaries = new Map<string, EnumDictionary>();
  for (const [name, { kind }] of Object.entries(schema)) {
    if (kind !== 'enum' && kind !== 'boolean') continue;
    const dictionary = new EnumDictionary();
    // Known from the start, so that booleans have the same numbers everywhere.
    if (kind === 'boolean') [false, true].forEach((value) => dictionary.intern(value));
    dictionaries.set(name, dictionary);
  }
  const columnNames = Object.keys(schema).filter((name) => schema[name]!.kind !== 'text');
  const columnAt = new Map(columnNames.map((name, at) => [name, at]));
  return {
    schema,
    texts: fieldsOf(schema, 'text').map(([name, { boost = 1 }]) => ({ name, boost })),
    columnNames,
    columnAt,
    clusters: fieldsOf(schema, 'enum').flatMap(([name, { clusters }]) =>
      clusters ? [columnAt.get(name)!] : [],
    ),
    dictionaries,
  };
};

export const emptyColumns = ({ schema, columnNames, dictionaries }: IndexLayout): Column[] =>
  columnNames.map((name) => columnOf(schema[name]!, dictionaries.get(name))!);

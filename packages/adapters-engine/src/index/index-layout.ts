import type { IndexSchema } from '@doska/core/vasgen';
import { packedOf } from './columns.ts';
import { EnumDictionary } from './enum-dictionary.ts';
import { SparseColumn } from './sparse-column.ts';

type TextField = { readonly name: string; readonly boost: number };

/**
 * What all segments of an index share: the order of its fields and the values of its enums. It only grows: a field
 * keeps its number, new ones come behind.
 */
export class IndexLayout {
  #schema: IndexSchema = {};
  readonly #texts: TextField[] = [];
  readonly #columnNames: string[] = [];
  readonly #columnAt = new Map<string, number>();
  readonly #clusters: number[] = [];
  readonly #dictionaries = new Map<string, EnumDictionary>();

  constructor(schema: IndexSchema) {
    this.extend(schema);
  }

  /** `schema` has all fields that are known, as they are. */
  extend(schema: IndexSchema): void {
    for (const [name, spec] of Object.entries(schema)) {
      if (Object.hasOwn(this.#schema, name)) continue;
      if (spec.kind === 'text') {
        this.#texts.push({ name, boost: spec.boost ?? 1 });
        continue;
      }
      const column = this.#columnNames.push(name) - 1;
      this.#columnAt.set(name, column);
      if (spec.kind === 'enum' && spec.clusters) this.#clusters.push(column);
      if (spec.kind === 'enum' || spec.kind === 'boolean') this.#dictionaries.set(name, new EnumDictionary());
      // Known from the start, so that booleans have the same numbers everywhere.
      if (spec.kind === 'boolean')
        for (const value of [false, true]) this.#dictionaries.get(name)!.intern(value);
    }
    this.#schema = schema;
  }

  get schema(): IndexSchema {
    return this.#schema;
  }
  get texts(): readonly TextField[] {
    return this.#texts;
  }
  get columnNames(): readonly string[] {
    return this.#columnNames;
  }
  get columnAt(): ReadonlyMap<string, number> {
    return this.#columnAt;
  }
  /** Columns whose equal values lie together in sealed segments, the first one decides first. */
  get clusters(): readonly number[] {
    return this.#clusters;
  }
  get dictionaries(): ReadonlyMap<string, EnumDictionary> {
    return this.#dictionaries;
  }

  emptyColumn(column: number): SparseColumn {
    const name = this.#columnNames[column]!;
    return new SparseColumn(packedOf(this.#schema[name]!, this.#dictionaries.get(name)));
  }
}

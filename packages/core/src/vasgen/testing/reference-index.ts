import type { Position } from '../../kernel/index.ts';
import { compareFreshness, type Freshness } from '../document/freshness.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';
import { changeFaults, type FieldValue, type IndexChange } from '../engine/index-change.ts';
import type { ApplyVerdict, IndexSpec } from '../engine/search-engine.port.ts';
import type { ReferenceDocument } from './reference-query.ts';
import { analyzed } from './reference-text.ts';

/** `old`: from before a rebuild that has not said it yet. */
export type ReferenceRow = {
  readonly freshness: Freshness;
  readonly document?: ReferenceDocument;
  readonly old?: boolean;
};
export type ReferenceIndex = {
  spec: IndexSpec;
  readonly rows: Map<string, ReferenceRow>;
  readonly positions: Map<string, Position>;
  caughtUp: boolean;
  rebuild: number;
  /** Counts what changed. */
  generation: number;
};

export const emptyIndex = (spec: IndexSpec): ReferenceIndex => ({
  spec,
  rows: new Map(),
  positions: new Map(),
  caughtUp: false,
  rebuild: 0,
  generation: 0,
});

const rounded = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
const isStrings = (value: readonly (number | string)[]): value is readonly string[] =>
  typeof value[0] === 'string';
/** As the schema says: geo to 1e-7 degrees, vectors in single precision, values without an order; undefined is missing. */
const kept = (value: FieldValue): FieldValue | undefined => {
  if (typeof value !== 'object') return value;
  if ('lat' in value) return { lat: rounded(value.lat), lon: rounded(value.lon) };
  if (value.length === 0) return undefined;
  return isStrings(value) ? [...new Set(value)] : value.map(Math.fround);
};

/** What `apply` promises, on one index. */
export const applyTo = (index: ReferenceIndex, analyzer: Analyzer, change: IndexChange): ApplyVerdict => {
  const { epoch, schema } = index.spec;
  const violations = changeFaults(schema, epoch, change);
  if (violations.length > 0) return { kind: 'invalid', violations };
  const { pk, freshness } = change;
  const known = index.rows.get(pk);
  const order = known ? compareFreshness(freshness, known.freshness) : 1;
  if (known?.old && order === 0) index.rows.set(pk, { ...known, old: false });
  if (order === 0 || (order < 0 && !known?.old)) return { kind: 'stale' };
  index.generation++;
  if (change.event === 'delete') index.rows.set(pk, { freshness });
  else {
    const fields: Record<string, FieldValue> = {};
    for (const [name, value] of Object.entries(change.fields ?? {})) {
      const known = kept(value);
      if (known !== undefined) fields[name] = known;
    }
    index.rows.set(pk, {
      freshness,
      document: { pk, freshness, fields, texts: analyzed(schema, analyzer, fields) },
    });
  }
  return { kind: 'applied' };
};

export const documentsOf = ({ rows }: ReferenceIndex): ReferenceDocument[] =>
  [...rows.values()].flatMap(({ document }) => (document ? [document] : []));

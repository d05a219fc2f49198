import { err, errAsync, ok, okAsync, type Result } from 'neverthrow';
import type { Position } from '../../kernel/index.ts';
import { checkPlan } from '../domain/check-plan.ts';
import { isFresher, type Freshness } from '../domain/freshness.ts';
import { changeFaults, type FieldValue, type IndexChange } from '../domain/index-change.ts';
import { checkSchema } from '../domain/index-schema.ts';
import type { Analyzer } from '../ports/analyzer.port.ts';
import type {
  ApplyVerdict,
  IndexInfo,
  IndexName,
  IndexSpec,
  SearchEngine,
  ServingName,
  UnknownIndex,
} from '../ports/search-engine.port.ts';
import { analyzed } from './reference-text.ts';
import { referenceQuery, type ReferenceDocument } from './reference-query.ts';

type Row = { readonly freshness: Freshness; readonly document?: ReferenceDocument };
export type ReferenceIndex = {
  readonly spec: IndexSpec;
  readonly rows: Map<string, Row>;
  readonly positions: Map<number, Position>;
  caughtUp: boolean;
};

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
  if (!isFresher(freshness, index.rows.get(pk)?.freshness)) return { kind: 'stale' };
  if (change.event === 'delete') index.rows.set(pk, { freshness });
  else {
    const fields: Record<string, FieldValue> = {};
    for (const [name, value] of Object.entries(change.fields ?? {})) {
      const known = kept(value);
      if (known !== undefined) fields[name] = known;
    }
    index.rows.set(pk, { freshness, document: { pk, fields, texts: analyzed(schema, analyzer, fields) } });
  }
  return { kind: 'applied' };
};

export const documentsOf = ({ rows }: ReferenceIndex): ReferenceDocument[] =>
  [...rows.values()].flatMap(({ document }) => (document ? [document] : []));

/** The engine port by brute force: slow, forgetful, right. Tombstones are kept for ever. */
export const referenceEngine = ({ analyzer }: { readonly analyzer: Analyzer }): SearchEngine => {
  const indexes = new Map<string, ReferenceIndex>();
  const serving = new Map<ServingName, IndexName>();
  const unknown = (name: string): UnknownIndex => ({ kind: 'UnknownIndex', name });
  const find = (name: string | undefined, asked: string): Result<ReferenceIndex, UnknownIndex> => {
    const index = name === undefined ? undefined : indexes.get(name);
    return index ? ok(index) : err(unknown(asked));
  };
  const infoOf = (index: ReferenceIndex): IndexInfo => {
    const documents = documentsOf(index).length;
    return {
      ...index.spec,
      serving: [...serving].filter(([, to]) => to === index.spec.name).map(([name]) => name),
      documents,
      tombstones: index.rows.size - documents,
      bytes: 0,
      bytesPerDocument: 0,
      positions: [...index.positions.values()],
      caughtUp: index.caughtUp,
    };
  };
  return {
    create: (spec) => {
      const before = indexes.get(spec.name);
      if (before)
        return JSON.stringify(before.spec) === JSON.stringify(spec)
          ? okAsync(undefined)
          : errAsync({ kind: 'IndexExists', name: spec.name });
      return checkSchema(spec.schema)
        .map(
          () => void indexes.set(spec.name, { spec, rows: new Map(), positions: new Map(), caughtUp: false }),
        )
        .asyncMap(async () => undefined);
    },
    drop: (name) => {
      for (const [by, to] of serving)
        if (to === name) return errAsync({ kind: 'IndexServes', name, serving: by });
      indexes.delete(name);
      return okAsync(undefined);
    },
    serve: (name, to, { from } = {}) => {
      const actual = serving.get(name);
      if (!indexes.has(to)) return errAsync(unknown(to));
      if (from !== undefined && (from ?? undefined) !== actual)
        return errAsync({ kind: 'ServingMoved', serving: name, ...(actual ? { actual } : {}) });
      serving.set(name, to);
      return okAsync(undefined);
    },
    indexes: () => okAsync([...indexes.values()].map(infoOf)),
    apply: (name, changes, { positions = [], caughtUp } = {}) =>
      find(name, name).asyncMap(async (index) => {
        const verdicts = changes.map((change) => applyTo(index, analyzer, change));
        for (const position of positions) index.positions.set(position.partition, position);
        index.caughtUp = caughtUp ?? index.caughtUp;
        return verdicts;
      }),
    flush: (name) => find(name, name).asyncMap(async () => undefined),
    execute: (where, plan) => {
      const name = 'index' in where ? where.index : serving.get(where.serving);
      return find(name, 'index' in where ? where.index : where.serving)
        .andThen((index) => checkPlan(index.spec.schema, plan).map(() => index))
        .asyncMap(async (index) => referenceQuery(documentsOf(index), analyzer, plan));
    },
    close: async () => indexes.clear(),
  };
};

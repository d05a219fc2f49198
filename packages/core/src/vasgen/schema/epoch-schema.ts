import { err, ok, type Result } from 'neverthrow';
import { sameValue, type Violation } from '../../kernel/index.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { checkSchema, isMultiple, type FieldSpec, type IndexSchema } from '../engine/index-schema.ts';
import { planFaults, type DeclaredPlans } from './declared-plan.ts';

/**
 * The fields of an epoch. They are only added to, and each growth raises `number` by one. The number travels with the
 * records of the index topic, so that a searcher notices that it knows less.
 */
export type EpochSchema = {
  readonly number: number;
  readonly fields: IndexSchema;
  /** Named queries of the client; absent: none. */
  readonly plans?: DeclaredPlans;
};
export const emptySchema: EpochSchema = { number: 0, fields: {} };

/** A field that contradicts the schema of its epoch. */
export type SchemaViolation = Violation & { readonly expected: string; readonly actual: string };

const specWords = (spec: FieldSpec): string => {
  if (spec.kind === 'vector') return `vector of ${spec.dimension}`;
  return isMultiple(spec) ? `list of ${spec.kind}` : spec.kind;
};
const known = (fields: IndexSchema, name: string): FieldSpec | undefined =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

type Named = readonly (readonly [name: string, spec: FieldSpec])[];
const conflict = (name: string, kept: FieldSpec, said: FieldSpec): SchemaViolation => ({
  path: name,
  code: 'TypeConflict',
  message: `this epoch has ${specWords(kept)} here, not ${specWords(said)}`,
  expected: specWords(kept),
  actual: specWords(said),
});

/** The fields that are new, or everything that contradicts the schema. A spec of a known name must be of the same type. */
const growthBy = (
  { fields }: EpochSchema,
  named: Named,
): Result<IndexSchema | undefined, readonly Violation[]> => {
  const faults: Violation[] = [];
  const added: [string, FieldSpec][] = [];
  for (const [name, spec] of named) {
    const kept = known(fields, name);
    if (!kept) added.push([name, spec]);
    else if (specWords(kept) !== specWords(spec)) faults.push(conflict(name, kept, spec));
  }
  if (faults.length > 0) return err(faults);
  if (added.length === 0) return ok(undefined);
  const grown = Object.fromEntries([...Object.entries(fields), ...added]);
  return checkSchema(grown).mapErr(({ violations }) => violations);
};

const nextSchema = (
  { number, fields: before, plans }: EpochSchema,
  fields: IndexSchema = before,
  planned: DeclaredPlans | undefined = plans,
): EpochSchema => ({ number: number + 1, fields, ...(planned ? { plans: planned } : {}) });

const specOf = ({ kind, multiple }: RawDocument['fields'][number]): FieldSpec =>
  multiple ? { kind: kind as 'enum' | 'string', multiple } : { kind };
const specsOf = ({ fields, embeddings }: RawDocument): Named => [
  ...fields.map((field) => [field.name, specOf(field)] as const),
  ...embeddings.map(({ name, vector }) => [name, { kind: 'vector', dimension: vector.length }] as const),
];
/** The kinds that the document itself states. Its values must be of them, whatever the epoch has. */
export const statedSchema = (document: RawDocument): IndexSchema => Object.fromEntries(specsOf(document));

const listFaults = ({ fields }: RawDocument): readonly Violation[] =>
  fields
    .filter(({ kind, multiple }) => multiple && kind !== 'enum' && kind !== 'string')
    .map(({ name, kind }) => ({ path: name, code: 'Type', message: `${kind} has one value, no list` }));

/** The whole schema as the document needs it, `undefined` if it needs nothing new. Faults: what the schema can't take. */
export const schemaFor = (
  schema: EpochSchema,
  document: RawDocument,
): Result<EpochSchema | undefined, readonly Violation[]> => {
  if (document.event !== 'upsert') return ok(undefined);
  const lists = listFaults(document);
  if (lists.length > 0) return err(lists);
  return growthBy(schema, specsOf(document)).map((fields) => fields && nextSchema(schema, fields));
};

/**
 * The same for fields and plans that a client declares. A declaration repeated with the same types changes nothing, boosts
 * of fields included. A plan of a known name replaces it.
 */
export const declaredSchema = (
  schema: EpochSchema,
  declared: IndexSchema,
  plans: DeclaredPlans = {},
): Result<EpochSchema | undefined, readonly Violation[]> =>
  growthBy(schema, Object.entries(declared)).andThen((fields) => {
    const all: DeclaredPlans = { ...schema.plans, ...plans };
    const faults = planFaults(all, fields ?? schema.fields);
    if (faults.length > 0) return err(faults);
    const isReplanned = Object.keys(plans).some((name) => !sameValue(schema.plans?.[name], plans[name]));
    if (!fields && !isReplanned) return ok(undefined);
    return ok(nextSchema(schema, fields, isReplanned ? all : schema.plans));
  });

import { err, ok, type Result } from 'neverthrow';
import { sameValue, type InvalidInput, type Violation } from '../../kernel/index.ts';
import { checkSchema, type FieldSpec, type IndexSchema } from './index-schema.ts';

/** A field is there with another type. Nothing was added: a type changes with an epoch, never inside one. */
export type SchemaConflict = { readonly kind: 'SchemaConflict'; readonly violations: readonly Violation[] };

const specOf = (schema: IndexSchema, name: string): FieldSpec | undefined =>
  Object.hasOwn(schema, name) ? schema[name] : undefined;

const differing = (before: IndexSchema, wanted: IndexSchema): readonly string[] =>
  Object.keys(wanted).filter((name) => {
    const known = specOf(before, name);
    return known !== undefined && !sameValue(known, wanted[name]);
  });

/** Whether `schema` has all fields of `wanted`, with the same types. */
export const coversSchema = (schema: IndexSchema, wanted: IndexSchema): boolean =>
  Object.keys(wanted).every((name) => specOf(schema, name) !== undefined) &&
  differing(schema, wanted).length === 0;

/** Both schemas together: the fields of `before` in their order, then what is new in `wanted`. */
export const grownSchema = (
  before: IndexSchema,
  wanted: IndexSchema,
): Result<IndexSchema, SchemaConflict | InvalidInput> => {
  const conflicts = differing(before, wanted);
  if (conflicts.length > 0)
    return err({
      kind: 'SchemaConflict',
      violations: conflicts.map((path) => ({
        path,
        code: 'TYPE',
        message: `it is ${JSON.stringify(before[path])}, not ${JSON.stringify(wanted[path])}`,
      })),
    });
  return coversSchema(before, wanted) ? ok(before) : checkSchema({ ...before, ...wanted });
};

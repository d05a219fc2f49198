import { invalidInput, type InvalidInput, type Violation } from '../../kernel/index.ts';
import { err, ok, type Result } from 'neverthrow';

/**
 * - `text`: searched by words; `boost` weighs a match in this field against the other text fields.
 * - `number`: ranges, sorts, boosts, range facets. `boolean`: terms, sorts, facets.
 * - `enum`: values that repeat (categories, brands): terms, sorts, facets. `string`: values that hardly do: terms, sorts.
 *   `clusters` is a hint for fields that most queries have a condition on, broad ones before narrow ones: an engine may
 *   keep documents of one value side by side, and find them faster. With `multiple` a document has a list of values
 *   (up to 256, none is missing): a condition holds when one of them passes, facets count the document once for each
 *   distinct value, and there is no sort by it.
 * - `geo`: radius filters and sorts by distance, kept to 1e-7 degrees. `vector`: sorts by cosine similarity.
 */
export type FieldSpec =
  | { readonly kind: 'text'; readonly boost?: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly clusters?: boolean; readonly multiple?: boolean }
  | { readonly kind: 'string'; readonly multiple?: boolean }
  | { readonly kind: 'geo' }
  | { readonly kind: 'vector'; readonly dimension: number };
export type FieldKind = FieldSpec['kind'];
export type IndexSchema = Readonly<Record<string, FieldSpec>>;

/** Four text fields fit the packed term counts of a posting. */
export const TEXT_FIELDS_MAX = 4;
/** OpenSearch allows 1,000 by default: a setting of its index raises that. */
export const FIELDS_MAX = 10_000;
const DIMENSION_MAX = 4096;
/** Values that a document has in a field of several. */
export const VALUES_MAX = 256;

export const fieldsOf = <K extends FieldKind>(
  schema: IndexSchema,
  kind: K,
): readonly (readonly [string, Extract<FieldSpec, { kind: K }>])[] =>
  Object.entries(schema).filter((entry): entry is [string, Extract<FieldSpec, { kind: K }>] =>
    Object.is(entry[1].kind, kind),
  );

/** Whether documents have a list of values in this field. */
export const isMultiple = (spec: FieldSpec): boolean =>
  (spec.kind === 'enum' || spec.kind === 'string') && spec.multiple === true;

const violation = (path: string, code: string, message: string): Violation => ({ path, code, message });

/** Every fault of a schema, each with the field's name. */
export const checkSchema = (schema: IndexSchema): Result<IndexSchema, InvalidInput> => {
  const faults: Violation[] = [];
  const names = Object.keys(schema);
  if (names.length > FIELDS_MAX) faults.push(violation('', 'TOO_MANY', `at most ${FIELDS_MAX} fields`));
  const texts = fieldsOf(schema, 'text');
  if (texts.length > TEXT_FIELDS_MAX)
    faults.push(violation(texts[TEXT_FIELDS_MAX]![0], 'TOO_MANY', `at most ${TEXT_FIELDS_MAX} text fields`));
  for (const [name, { boost = 1 }] of texts)
    if (!(boost > 0 && Number.isFinite(boost))) faults.push(violation(name, 'RANGE', 'a boost is above 0'));
  for (const [name, { clusters, multiple }] of fieldsOf(schema, 'enum'))
    if (clusters && multiple)
      faults.push(violation(name, 'CONFLICT', 'documents of several values lie in no one place'));
  for (const [name, { dimension }] of fieldsOf(schema, 'vector'))
    if (!Number.isInteger(dimension) || dimension < 1 || dimension > DIMENSION_MAX)
      faults.push(violation(name, 'RANGE', `a dimension is a whole number from 1 to ${DIMENSION_MAX}`));
  return faults.length > 0 ? err(invalidInput(...faults)) : ok(schema);
};

import { err, ok, type Result } from 'neverthrow';
import type { Attribute, AttributeUse, NumberRange, ValueId } from './attribute.ts';
import type { CategoryId } from './category.ts';

/** An attribute as it stands in one category, after all that its ancestors said. */
export type EffectiveAttribute = {
  readonly attribute: Attribute;
  /** The category that brought it in. */
  readonly declaredBy: CategoryId;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly filterable: boolean;
  /** Of a dictionary: what an offer may choose from, in the dictionary's order. Empty for other types. */
  readonly values: readonly ValueId[];
  /** Of a number. */
  readonly range: NumberRange;
};

/** The field of a use that would allow more than the category inherits, or names what does not exist. */
export type Widening = { readonly field: keyof AttributeUse; readonly message: string };

export const unlimited: NumberRange = { min: undefined, max: undefined };

/** An attribute before any category has narrowed it. */
export const widest = (attribute: Attribute, declaredBy: CategoryId): EffectiveAttribute => ({
  attribute,
  declaredBy,
  required: false,
  multiple: attribute.multiple,
  filterable: attribute.filterable,
  values: attribute.type.kind === 'dictionary' ? attribute.type.values.map(({ id }) => id) : [],
  range: attribute.type.kind === 'number' ? attribute.type.range : unlimited,
});

const below = (a: number | undefined, b: number | undefined): boolean =>
  a !== undefined && b !== undefined && a < b;

const wideningsOf = (inherited: EffectiveAttribute, use: AttributeUse): Widening[] => {
  const { type } = inherited.attribute;
  const wrong: Widening[] = [];
  const refuse = (field: keyof AttributeUse, message: string): void => void wrong.push({ field, message });
  if (use.required === false && inherited.required) refuse('required', 'an ancestor requires it');
  if (use.multiple === true && !inherited.multiple) refuse('multiple', 'it has one value');
  if (use.filterable === true && !inherited.filterable) refuse('filterable', 'it is no filter');
  if (use.values && type.kind !== 'dictionary') refuse('values', 'it is no dictionary');
  if (use.values?.length === 0) refuse('values', 'nothing would be left');
  const foreign = use.values?.filter((value) => !inherited.values.includes(value)) ?? [];
  if (type.kind === 'dictionary' && foreign.length > 0)
    refuse('values', `not among the inherited ones: ${foreign.join(', ')}`);
  for (const field of ['min', 'max'] as const)
    if (use[field] !== undefined && type.kind !== 'number') refuse(field, 'it is no number');
  if (below(use.min, inherited.range.min)) refuse('min', `below the inherited ${inherited.range.min}`);
  if (below(inherited.range.max, use.max)) refuse('max', `above the inherited ${inherited.range.max}`);
  if (below(use.max ?? inherited.range.max, use.min ?? inherited.range.min))
    refuse('min', 'nothing would be left');
  return wrong;
};

/** What is inherited, narrowed by one category. A use that would widen is refused, whole. */
export const narrow = (
  inherited: EffectiveAttribute,
  use: AttributeUse,
): Result<EffectiveAttribute, readonly Widening[]> => {
  const wrong = wideningsOf(inherited, use);
  if (wrong.length > 0) return err(wrong);
  const chosen = use.values && new Set(use.values);
  return ok({
    ...inherited,
    required: use.required ?? inherited.required,
    multiple: use.multiple ?? inherited.multiple,
    filterable: use.filterable ?? inherited.filterable,
    values: chosen ? inherited.values.filter((value) => chosen.has(value)) : inherited.values,
    range: { min: use.min ?? inherited.range.min, max: use.max ?? inherited.range.max },
  });
};

import type { Catalog, EffectiveAttribute, ValueId } from '../../catalog/index.ts';
import { textViolations, type Violation } from '../../kernel/index.ts';
import { attributeIdViolations, FIELD_BOUNDS } from './field-rules.ts';
import type { AttributeValue, OfferAttribute, OfferContent, OfferText } from './offer.ts';

/** A word of the caller inside of a message: not more of it than a person reads. */
const quoted = (text: string): string => (text.length > 50 ? `${text.slice(0, 50)}…` : text);

type Broken = { readonly code: string; readonly message: string };

const brokenValue = (
  { attribute, values, range }: EffectiveAttribute,
  value: AttributeValue,
): readonly Broken[] => {
  const { type } = attribute;
  const wrongType = (wanted: string): Broken[] => [{ code: 'WrongType', message: `${wanted} is wanted` }];
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrongType('yes or no');
    case 'string':
      if (typeof value !== 'string') return wrongType('text');
      return textViolations('', value, { charsMin: 1, charsMax: type.lengthMax });
    case 'number': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return wrongType('a number');
      const { min = -Infinity, max = Infinity } = range;
      return value >= min && value <= max
        ? []
        : [{ code: 'OutOfRange', message: `from ${min} to ${max} in this category` }];
    }
    case 'dictionary':
      if (typeof value !== 'string') return wrongType('the id of a value');
      return values.includes(value as ValueId)
        ? []
        : [{ code: 'UnknownValue', message: `${quoted(value)} is no value of this category` }];
  }
};

const brokenAttribute = (
  rule: EffectiveAttribute,
  { values }: OfferAttribute,
  path: string,
  valuesMax: number,
): Violation[] => {
  const most = rule.multiple ? valuesMax : 1;
  const many = values.length > most ? [{ path, code: 'TooMany', message: `at most ${most}` }] : [];
  const each = values
    .slice(0, valuesMax)
    .flatMap((value, i) =>
      brokenValue(rule, value).map(({ code, message }) => ({ path: `${path}.values[${i}]`, code, message })),
    );
  return [...many, ...each];
};

const tooManyAttributes = (attributes: readonly OfferAttribute[]): Violation[] =>
  attributes.length > FIELD_BOUNDS.attributes
    ? [{ path: 'attributes', code: 'TooMany', message: `at most ${FIELD_BOUNDS.attributes}` }]
    : [];

/** What the category says of the attributes: known ones only, each once, the required ones all there, every value allowed. */
export const attributeViolations = (
  { category, attributes }: OfferContent,
  catalog: Catalog,
  valuesMax: number,
): readonly Violation[] => {
  if ((category as string) === '')
    return [{ path: 'category', code: 'Missing', message: 'an offer has a category' }];
  const known = catalog.category(category);
  if (!known) return [{ path: 'category', code: 'UnknownValue', message: `no category ${quoted(category)}` }];
  if (known.retired)
    return [{ path: 'category', code: 'Retired', message: `${category} takes no new offers` }];
  const rules = new Map(catalog.effectiveAttributes(category).map((rule) => [rule.attribute.id, rule]));
  const given = new Set<string>();
  const found = attributes.slice(0, FIELD_BOUNDS.attributes).flatMap((one, i): Violation[] => {
    const path = `attributes[${i}]`;
    const rule = rules.get(one.attribute);
    if (!rule)
      return [
        { path, code: 'UnknownAttribute', message: `${category} has no attribute ${quoted(one.attribute)}` },
      ];
    if (given.has(one.attribute)) return [{ path, code: 'Duplicate', message: 'named before' }];
    given.add(one.attribute);
    return brokenAttribute(rule, one, path, valuesMax);
  });
  const missing = [...rules.values()].filter(
    ({ required, attribute: { id } }) =>
      required && !attributes.some(({ attribute, values }) => attribute === id && values.length > 0),
  );
  return [
    ...tooManyAttributes(attributes),
    ...found,
    ...missing.map(({ attribute: { id } }) => ({
      path: `attributes.${id}`,
      code: 'Missing',
      message: `${category} requires ${id}`,
    })),
  ];
};

/** What a draft may not hold among its attributes, whatever its category will be. The size of all is checked elsewhere. */
export const draftAttributeViolations = (
  { attributes }: OfferText,
  valuesMax: number,
): readonly Violation[] => [
  ...tooManyAttributes(attributes),
  ...attributes.slice(0, FIELD_BOUNDS.attributes).flatMap(({ attribute, values }, i) => {
    const path = `attributes[${i}]`;
    const many =
      values.length > valuesMax ? [{ path, code: 'TooMany', message: `at most ${valuesMax}` }] : [];
    const each = values
      .slice(0, valuesMax)
      .flatMap((value, j) => draftValueViolations(value, `${path}.values[${j}]`));
    return [...attributeIdViolations(attribute, path), ...many, ...each];
  }),
];
const draftValueViolations = (value: AttributeValue, path: string): readonly Violation[] => {
  if (typeof value === 'string') return textViolations(path, value, { charsMax: Infinity });
  if (typeof value === 'boolean' || Number.isFinite(value)) return [];
  return [{ path, code: 'WrongType', message: 'a number is wanted' }];
};

import type { Catalog, EffectiveAttribute, ValueId } from '../../catalog/index.ts';
import type { Violation } from '../../kernel/index.ts';
import type { AttributeValue, OfferAttribute, OfferContent } from './offer.ts';

type Broken = { readonly code: string; readonly message: string };

const brokenValue = ({ attribute, values, range }: EffectiveAttribute, value: AttributeValue): Broken[] => {
  const { type } = attribute;
  const wrongType = (wanted: string): Broken[] => [{ code: 'WrongType', message: `${wanted} is wanted` }];
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrongType('yes or no');
    case 'string':
      if (typeof value !== 'string') return wrongType('text');
      return [...value].length <= type.lengthMax
        ? []
        : [{ code: 'TooLong', message: `at most ${type.lengthMax} characters` }];
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
        : [{ code: 'UnknownValue', message: `${value} is no value of this category` }];
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
      brokenValue(rule, value).map((broken) => ({ path: `${path}.values[${i}]`, ...broken })),
    );
  return [...many, ...each];
};

/** What the category says of the attributes: known ones only, each once, the required ones all there, every value allowed. */
export const attributeViolations = (
  { category, attributes }: OfferContent,
  catalog: Catalog,
  valuesMax: number,
): readonly Violation[] => {
  if ((category as string) === '')
    return [{ path: 'category', code: 'Missing', message: 'an offer has a category' }];
  const known = catalog.category(category);
  if (!known) return [{ path: 'category', code: 'UnknownValue', message: `no category ${category}` }];
  if (known.retired)
    return [{ path: 'category', code: 'Retired', message: `${category} takes no new offers` }];
  const rules = new Map(catalog.effectiveAttributes(category).map((rule) => [rule.attribute.id, rule]));
  const given = attributes.map(({ attribute }) => attribute);
  const found = attributes.flatMap((one, i): Violation[] => {
    const path = `attributes[${i}]`;
    const rule = rules.get(one.attribute);
    if (!rule)
      return [{ path, code: 'UnknownAttribute', message: `${category} has no attribute ${one.attribute}` }];
    if (given.indexOf(one.attribute) < i) return [{ path, code: 'Duplicate', message: 'named before' }];
    return brokenAttribute(rule, one, path, valuesMax);
  });
  const missing = [...rules.values()].filter(
    ({ required, attribute: { id } }) =>
      required && !attributes.some(({ attribute, values }) => attribute === id && values.length > 0),
  );
  return [
    ...found,
    ...missing.map(({ attribute: { id } }) => ({
      path: `attributes.${id}`,
      code: 'Missing',
      message: `${category} requires ${id}`,
    })),
  ];
};

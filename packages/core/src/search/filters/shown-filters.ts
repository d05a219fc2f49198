import {
  commonAttributes,
  commonFilters,
  type Catalog,
  type CategoryId,
  type EffectiveAttribute,
  type Names,
  type NumberRange,
  type StandardFilter,
} from '../../catalog/index.ts';
import { attributeField } from '../document/offer-fields.ts';
import { ATTRIBUTE_PREFIX, feedingAttribute } from '../query/condition-of.ts';

export type FilterType = 'values' | 'range' | 'flag' | 'place' | 'age';
export type FilterValue = { readonly id: string; readonly names: Names | undefined };
/** A filter that the answer offers, before values are counted. */
export type FilterSpec = {
  readonly id: string;
  readonly names: Names;
  readonly type: FilterType;
  /** The field of the index that is counted; undefined if there is nothing to count. */
  readonly field: string | undefined;
  readonly values: readonly FilterValue[];
  readonly range: NumberRange;
  readonly unit: string | undefined;
  /** The share of the found offers whose category has it, 0 to 1. */
  readonly coverage: number;
};
export type FoundCategory = { readonly id: CategoryId; readonly count: number };
/** Why a filter is not offered. */
export type HiddenFilter = { readonly id: string; readonly reason: string };
export type ShownFilters = {
  readonly filters: readonly FilterSpec[];
  readonly hidden: readonly HiddenFilter[];
  /** Found categories that the copy of the catalogue does not know. */
  readonly unknown: number;
};

const NO_RANGE: NumberRange = { min: undefined, max: undefined };
const simple = (ru: string, en: string): Names => ({ ru, en, synonyms: { ru: [], en: [] } });
const STANDARD: Record<StandardFilter, Pick<FilterSpec, 'names' | 'type' | 'field'>> = {
  price: { names: simple('Цена', 'Price'), type: 'range', field: 'price' },
  salary: { names: simple('Зарплата', 'Salary'), type: 'range', field: 'price' },
  geo: { names: simple('Место', 'Place'), type: 'place', field: 'geoId' },
  withPhoto: { names: simple('Только с фото', 'With photos only'), type: 'flag', field: 'withPhoto' },
  publishedWithin: { names: simple('Опубликовано', 'Published'), type: 'age', field: undefined },
  sellerType: { names: simple('Продавец', 'Seller'), type: 'values', field: 'sellerType' },
  employment: { names: simple('Занятость', 'Employment'), type: 'values', field: undefined },
  schedule: { names: simple('График', 'Schedule'), type: 'values', field: undefined },
};
/** The names of a standard filter; undefined if there is none of this id. */
export const standardNames = (id: string): Names | undefined =>
  Object.hasOwn(STANDARD, id) ? STANDARD[id as StandardFilter].names : undefined;

const attributeFilter = (
  catalog: Catalog,
  { attribute, values, range }: EffectiveAttribute,
  coverage: number,
  id = attributeField(attribute.id),
): FilterSpec | string => {
  const common = {
    id,
    names: attribute.names,
    field: attributeField(attribute.id),
    coverage,
    unit: undefined,
  };
  switch (attribute.type.kind) {
    case 'string':
      return 'a text is no filter';
    case 'boolean':
      return { ...common, type: 'flag', values: [], range: NO_RANGE };
    case 'number':
      return { ...common, type: 'range', values: [], range, unit: attribute.type.unit };
    case 'dictionary': {
      if (values.length < 2) return 'it has fewer than two values';
      const names = new Map(attribute.type.values.map((value) => [value.id, value.names] as const));
      const listed = values.map((value) => ({ id: value, names: names.get(value) }));
      return { ...common, type: 'values', values: listed, range: NO_RANGE };
    }
  }
};

/** Attributes that offers of enough found categories have, with the share that they cover. */
const coveredAttributes = (
  catalog: Catalog,
  found: readonly FoundCategory[],
  coverageMin: number,
): readonly { readonly effective: EffectiveAttribute; readonly coverage: number }[] => {
  const total = found.reduce((sum, { count }) => sum + count, 0);
  const having = new Map<string, { categories: CategoryId[]; count: number }>();
  for (const { id, count } of found)
    for (const { attribute } of catalog.effectiveAttributes(id)) {
      const known = having.get(attribute.id) ?? { categories: [], count: 0 };
      known.categories.push(id);
      known.count += count;
      having.set(attribute.id, known);
    }
  return [...having].flatMap(([attribute, { categories, count }]) => {
    const isStrict = categories.length === found.length;
    // All of them is 1 also where nothing was counted.
    const coverage = isStrict ? 1 : count / total;
    if (!(coverage >= coverageMin)) return [];
    const effective = commonAttributes(catalog, categories).find((one) => one.attribute.id === attribute);
    return effective ? [{ effective, coverage }] : [];
  });
};

export type FilterNeeds = {
  readonly catalog: Catalog;
  /** The categories of the found offers, with their numbers of offers. */
  readonly found: readonly FoundCategory[];
  readonly requested: CategoryId | undefined;
  /** Ids of the filters that the request uses: they are shown as long as they are valid for the requested category. */
  readonly used: readonly string[];
  /** 1: an attribute must belong to every found category. */
  readonly coverageMin: number;
};

const standardFilter = (id: StandardFilter, { catalog }: FilterNeeds): FilterSpec | string => {
  const { names, type, field } = STANDARD[id];
  if (id === 'employment' || id === 'schedule') {
    const attribute = feedingAttribute(catalog, id);
    if (!attribute) return 'no attribute of the catalogue feeds it';
    const values = attribute.type.kind === 'dictionary' ? attribute.type.values : [];
    return {
      id,
      names,
      type,
      field: attributeField(attribute.id),
      values: values.filter(({ retired }) => !retired).map((value) => ({ id: value.id, names: value.names })),
      range: NO_RANGE,
      unit: undefined,
      coverage: 1,
    };
  }
  return { id, names, type, field, values: [], range: NO_RANGE, unit: undefined, coverage: 1 };
};

/** Table T4: which filters an answer offers. */
export const shownFilters = (needs: FilterNeeds): ShownFilters => {
  const { catalog, requested, used, coverageMin } = needs;
  const found = needs.found.filter(({ id }) => catalog.category(id) !== undefined);
  const unknown = needs.found.length - found.length;
  // Nothing found: the filters of the requested category, so that the buyer can loosen them.
  const basis = found.length > 0 ? found : requested === undefined ? [] : [{ id: requested, count: 0 }];
  const standards =
    basis.length > 0
      ? commonFilters(
          catalog,
          basis.map(({ id }) => id),
        )
      : catalog.standardFilters(catalog.root.id);
  const filters: FilterSpec[] = [];
  const hidden: HiddenFilter[] = [];
  const offer = (id: string, filter: FilterSpec | string): void => {
    if (typeof filter === 'string') hidden.push({ id, reason: filter });
    else if (!filters.some((one) => one.id === id)) filters.push(filter);
  };
  for (const id of standards) offer(id, standardFilter(id, needs));
  for (const { effective, coverage } of coveredAttributes(catalog, basis, coverageMin)) {
    const id = attributeField(effective.attribute.id);
    if (!effective.filterable) hidden.push({ id, reason: 'it is not meant for filters' });
    else if (effective.attribute.feeds !== undefined)
      hidden.push({ id, reason: 'a standard filter shows it' });
    else offer(id, attributeFilter(catalog, effective, coverage));
  }
  for (const id of used) addUsed(id, needs, offer);
  return { filters, hidden, unknown };
};

/** A filter in use stays visible while it is valid for the requested category. */
const addUsed = (
  id: string,
  needs: FilterNeeds,
  offer: (id: string, filter: FilterSpec | string) => void,
): void => {
  const { catalog, requested = catalog.root.id } = needs;
  if (!id.startsWith(ATTRIBUTE_PREFIX)) {
    const standard = catalog.standardFilters(requested).find((one) => one === id);
    if (standard) offer(id, standardFilter(standard, needs));
    return;
  }
  const attribute = id.slice(ATTRIBUTE_PREFIX.length);
  const effective =
    catalog.effectiveAttributes(requested).find((one) => one.attribute.id === attribute) ??
    catalog.content.categories
      .flatMap((category) => catalog.effectiveAttributes(category.id))
      .find((one) => one.attribute.id === attribute);
  if (effective && effective.attribute.feeds === undefined) offer(id, attributeFilter(catalog, effective, 0));
};

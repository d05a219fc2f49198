import {
  STANDARD_FILTERS,
  type Attribute,
  type AttributeId,
  type Catalog,
  type CategoryId,
  type FedFilter,
  type StandardFilter,
} from '../../catalog/index.ts';
import { err, ok, type Result } from 'neverthrow';
import type { Violation } from '../../kernel/index.ts';
import type { Filter } from '../../vasgen/index.ts';
import { attributeField } from '../document/offer-fields.ts';
import type { ChosenFilter } from './filter-text.ts';

export const ATTRIBUTE_PREFIX = 'attr.';
export const SELLER_TYPES = ['private', 'company'] as const;
/** Filters that every category takes, besides those that the catalogue lists. */
export const PLACE_FILTERS = ['near', 'district', 'metro', 'seller'] as const;
export const HOUR_MS = 3_600_000;

type Fault = Result<never, Violation>;
const fault = (path: string, code: string, message: string): Fault => err({ path, code, message });
type Checked = Result<Filter, Violation>;

const rangeOf = (filter: ChosenFilter, field: string, path: string): Checked => {
  if (filter.kind === 'range') {
    const { min, max } = filter;
    return ok({ kind: 'range', field, ...(min !== undefined && { min }), ...(max !== undefined && { max }) });
  }
  const [only, ...more] = filter.values.map(Number);
  return more.length === 0 && only !== undefined && Number.isFinite(only)
    ? ok({ kind: 'range', field, min: only, max: only })
    : fault(path, 'Type', `${filter.id} is a number or a range min..max`);
};
const valuesOf = (filter: ChosenFilter, path: string): Result<readonly string[], Violation> =>
  filter.kind === 'values'
    ? ok(filter.values)
    : fault(path, 'Type', `${filter.id} takes values, not a range`);
const flagOf = (filter: ChosenFilter, field: string, path: string): Checked =>
  filter.kind === 'values' && filter.values.length === 1 && ['true', 'false'].includes(filter.values[0]!)
    ? ok({ kind: 'terms', field, values: [filter.values[0] === 'true'] })
    : fault(path, 'Type', `${filter.id} is true or false`);
const termsOf = (filter: ChosenFilter, field: string, path: string): Checked =>
  valuesOf(filter, path).map((values) => ({ kind: 'terms', field, values }));

const nearOf = (filter: ChosenFilter, path: string): Checked => {
  const [lat = NaN, lon = NaN, meters = NaN, ...more] =
    filter.kind === 'values' ? filter.values.map(Number) : [];
  const isGood =
    more.length === 0 && Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && meters >= 0 && meters <= 1e7;
  return isGood
    ? ok({ kind: 'radius', field: 'point', from: { lat, lon }, meters })
    : fault(path, 'Malformed', 'near is `latitude,longitude,meters`');
};
const publishedWithin = (filter: ChosenFilter, nowMs: number, path: string): Checked => {
  const text = filter.kind === 'values' && filter.values.length === 1 ? filter.values[0]! : '';
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  if (count === undefined || Number(count) < 1)
    return fault(path, 'Malformed', 'publishedWithin is a number of hours or days: 24h, 7d');
  const backMs = Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1);
  return ok({ kind: 'range', field: 'publishedAt', min: nowMs - backMs });
};

const attributeCondition = (filter: ChosenFilter, attribute: Attribute, path: string): Checked => {
  const field = attributeField(attribute.id);
  switch (attribute.type.kind) {
    case 'number':
      return rangeOf(filter, field, path);
    case 'boolean':
      return flagOf(filter, field, path);
    case 'string':
      return fault(path, 'Unknown', `${filter.id} is a text and no filter`);
    case 'dictionary': {
      const known = new Set<string>(attribute.type.values.map(({ id }) => id));
      return valuesOf(filter, path).andThen((values): Checked => {
        const unknown = values.filter((value) => !known.has(value));
        return unknown.length === 0
          ? ok({ kind: 'terms', field, values })
          : fault(path, 'Unknown', `${filter.id} has no value ${unknown.join(', ')}`);
      });
    }
  }
};

/** The attribute whose values a standard filter shows; undefined if the catalogue has none. */
export const feedingAttribute = (catalog: Catalog, filter: FedFilter): Attribute | undefined =>
  catalog.content.attributes.find(
    ({ feeds, filterable, retired }) => feeds === filter && filterable && !retired,
  );

export type ConditionNeeds = {
  readonly catalog: Catalog;
  readonly nowMs: number;
};

const standardCondition = (
  filter: ChosenFilter,
  id: StandardFilter | (typeof PLACE_FILTERS)[number],
  { catalog, nowMs }: ConditionNeeds,
  path: string,
): Checked => {
  switch (id) {
    case 'price':
    case 'salary':
      return rangeOf(filter, 'price', path);
    case 'geo':
      return termsOf(filter, 'geoId', path);
    case 'withPhoto':
      return flagOf(filter, 'withPhoto', path);
    case 'publishedWithin':
      return publishedWithin(filter, nowMs, path);
    case 'sellerType':
      return termsOf(filter, 'sellerType', path).andThen((terms) =>
        filter.kind === 'values' && filter.values.every((value) => SELLER_TYPES.some((one) => one === value))
          ? ok(terms)
          : fault(path, 'Unknown', `sellerType is ${SELLER_TYPES.join(' or ')}`),
      );
    case 'employment':
    case 'schedule': {
      const attribute = feedingAttribute(catalog, id);
      return attribute
        ? attributeCondition(filter, attribute, path)
        : fault(path, 'Unknown', `no attribute feeds ${id}`);
    }
    case 'near':
      return nearOf(filter, path);
    case 'district':
      return termsOf(filter, 'district', path);
    case 'metro':
      return termsOf(filter, 'metro', path);
    case 'seller':
      return termsOf(filter, 'seller', path);
  }
};

/** The condition that a chosen filter means to the index. */
export const conditionOf = (filter: ChosenFilter, needs: ConditionNeeds, path: string): Checked => {
  const { id } = filter;
  if (id.startsWith(ATTRIBUTE_PREFIX)) {
    const attribute = needs.catalog.attribute(id.slice(ATTRIBUTE_PREFIX.length) as AttributeId);
    if (attribute?.feeds !== undefined)
      return fault(path, 'Unknown', `there is no filter ${id}: use ${attribute.feeds}`);
    return attribute?.filterable
      ? attributeCondition(filter, attribute, path)
      : fault(path, 'Unknown', `there is no filter ${id}`);
  }
  const known = [...STANDARD_FILTERS, ...PLACE_FILTERS].find((one) => one === id);
  return known
    ? standardCondition(filter, known, needs, path)
    : fault(path, 'Unknown', `there is no filter ${id}`);
};

const below = new WeakMap<Catalog, Map<CategoryId, readonly CategoryId[]>>();
/** The category and everything below it in this copy of the catalogue, retired ones too: their offers are still there. */
export const categoriesBelow = (catalog: Catalog, id: CategoryId): readonly CategoryId[] => {
  const known = below.get(catalog) ?? new Map<CategoryId, readonly CategoryId[]>();
  below.set(catalog, known);
  const found =
    known.get(id) ??
    catalog.content.categories
      .filter((one) => catalog.path(one.id).some((above) => above.id === id))
      .map((one) => one.id);
  known.set(id, found);
  return found;
};

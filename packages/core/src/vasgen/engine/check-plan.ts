import { err, ok, type Result } from 'neverthrow';
import type { Violation } from '../../kernel/index.ts';
import { isFloat32, isGeoPoint, NUMBER_MAX } from './index-change.ts';
import { isMultiple, type FieldKind, type IndexSchema } from './index-schema.ts';
import {
  BOOST_WEIGHT_MAX,
  BOOSTS_MAX,
  FACETS_MAX,
  FILTER_DEPTH_MAX,
  PAGE_DEPTH_MAX,
  PAGE_LIMIT_MAX,
  type Boost,
  type Cursor,
  type Facet,
  type Filter,
  type Page,
  type QueryPlan,
  type SortKey,
} from './query-plan.ts';

/** The plan can't be run on this schema; each violation names its place in the plan. */
export type PlanInvalid = { readonly kind: 'PlanInvalid'; readonly violations: readonly Violation[] };

type Note = (path: string, code: string, message: string) => void;

const want = (
  schema: IndexSchema,
  note: Note,
  path: string,
  field: string,
  ...kinds: FieldKind[]
): FieldKind | undefined => {
  const spec = Object.hasOwn(schema, field) ? schema[field] : undefined;
  if (!spec) note(`${path}.field`, 'UNKNOWN', `no field ${field}`);
  else if (!kinds.includes(spec.kind))
    note(`${path}.field`, 'TYPE', `${field} is ${spec.kind}, not ${kinds.join(' or ')}`);
  else return spec.kind;
  return undefined;
};

const checkFilter = (schema: IndexSchema, note: Note, path: string, filter: Filter, depth = 0): void => {
  if (depth > FILTER_DEPTH_MAX) return note(path, 'DEPTH', `at most ${FILTER_DEPTH_MAX} deep`);
  switch (filter.kind) {
    case 'terms': {
      const kind = want(schema, note, path, filter.field, 'enum', 'string', 'boolean');
      const type = kind === 'boolean' ? 'boolean' : 'string';
      if (kind && filter.values.some((value) => typeof value !== type))
        note(`${path}.values`, 'TYPE', `expected ${type}s`);
      return;
    }
    case 'range': {
      want(schema, note, path, filter.field, 'number');
      const { min = -Infinity, max = Infinity } = filter;
      if (filter.min === undefined && filter.max === undefined) note(path, 'RANGE', 'a range has a bound');
      else if (!(min <= max)) note(path, 'RANGE', 'min is above max');
      return;
    }
    case 'radius':
      want(schema, note, path, filter.field, 'geo');
      if (!isGeoPoint(filter.from)) note(`${path}.from`, 'RANGE', 'no point on Earth');
      if (!(filter.meters >= 0)) note(`${path}.meters`, 'RANGE', 'a radius is not negative');
      return;
    case 'exists':
      want(schema, note, path, filter.field, 'enum', 'string', 'boolean', 'number', 'geo', 'vector');
      return;
    case 'all':
    case 'any':
      filter.of.forEach((one, at) => checkFilter(schema, note, `${path}.of[${at}]`, one, depth + 1));
      return;
    case 'not':
      return checkFilter(schema, note, `${path}.of`, filter.of, depth + 1);
  }
};

const checkSort = (schema: IndexSchema, note: Note, path: string, key: SortKey): void => {
  switch (key.by) {
    case 'relevance':
      return;
    case 'column':
      if (
        want(schema, note, path, key.field, 'number', 'enum', 'string', 'boolean') &&
        isMultiple(schema[key.field]!)
      )
        note(`${path}.field`, 'TYPE', `${key.field} has several values`);
      return;
    case 'distance':
      want(schema, note, path, key.field, 'geo');
      if (!isGeoPoint(key.from)) note(`${path}.from`, 'RANGE', 'no point on Earth');
      return;
    case 'similarity': {
      want(schema, note, path, key.field, 'vector');
      const spec = schema[key.field];
      if (spec?.kind === 'vector' && (key.to.length !== spec.dimension || !key.to.every(isFloat32)))
        note(`${path}.to`, 'RANGE', `expected ${spec.dimension} numbers`);
    }
  }
};

const checkFacet = (schema: IndexSchema, note: Note, path: string, facet: Facet): void => {
  if (facet.kind === 'terms') want(schema, note, path, facet.field, 'enum', 'boolean');
  else want(schema, note, path, facet.field, 'number');
  if (
    facet.kind === 'terms' &&
    facet.limit !== undefined &&
    !(Number.isInteger(facet.limit) && facet.limit >= 1)
  )
    note(`${path}.limit`, 'RANGE', 'a whole number from 1');
};

const checkBoost = (schema: IndexSchema, note: Note, path: string, boost: Boost): void => {
  want(schema, note, path, boost.field, 'number');
  if (!(Math.abs(boost.weight) <= BOOST_WEIGHT_MAX))
    note(`${path}.weight`, 'RANGE', `at most ${BOOST_WEIGHT_MAX}`);
  if (boost.kind !== 'recency') return;
  if (!(boost.halfLife > 0 && boost.halfLife < Infinity)) note(`${path}.halfLife`, 'RANGE', 'above 0');
  if (!(Math.abs(boost.now) <= NUMBER_MAX)) note(`${path}.now`, 'RANGE', `at most ${NUMBER_MAX}`);
};

const isWhole = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max;

/** What a cursor may hold at the place of a sort key. */
const isCursorValue = (schema: IndexSchema, key: SortKey, value: unknown): boolean => {
  if (value === null) return true; // missing
  const kind = key.by === 'column' && Object.hasOwn(schema, key.field) ? schema[key.field]?.kind : 'number';
  if (kind === 'enum' || kind === 'string') return typeof value === 'string';
  return typeof value === 'number' && Number.isFinite(value);
};
const checkCursor = (schema: IndexSchema, note: Note, after: Cursor, sort: readonly SortKey[]): void => {
  if (typeof after.pk !== 'string') note('page.after.pk', 'TYPE', 'expected a string');
  if (!Array.isArray(after.values) || after.values.length !== sort.length)
    return note('page.after', 'RANGE', 'the cursor is of another sort');
  sort.forEach((key, at) => {
    if (!isCursorValue(schema, key, after.values[at]))
      note(`page.after.values[${at}]`, 'TYPE', 'the cursor is of another sort');
  });
};

const checkPage = (
  schema: IndexSchema,
  note: Note,
  { limit, offset = 0, after, cap }: Page,
  sort: readonly SortKey[],
): void => {
  if (!isWhole(limit, 0, PAGE_LIMIT_MAX)) note('page.limit', 'RANGE', `0 to ${PAGE_LIMIT_MAX}`);
  if (!isWhole(offset, 0, PAGE_DEPTH_MAX) || offset + limit > PAGE_DEPTH_MAX)
    note('page.offset', 'RANGE', `offset and limit end at ${PAGE_DEPTH_MAX}: go on by cursor`);
  if (after && offset > 0) note('page.after', 'CONFLICT', 'a page begins at an offset or after a cursor');
  if (after) checkCursor(schema, note, after, sort);
  if (!cap) return;
  if (offset > 0) note('page.cap', 'CONFLICT', 'a page with a cap begins at the start or after a cursor');
  if (!isWhole(cap.max, 1, PAGE_LIMIT_MAX)) note('page.cap.max', 'RANGE', `1 to ${PAGE_LIMIT_MAX}`);
  if (want(schema, note, 'page.cap', cap.field, 'enum', 'string') && isMultiple(schema[cap.field]!))
    note('page.cap.field', 'TYPE', `${cap.field} has several values`);
};

/** The order that is meant when a plan says none. */
export const sortOf = ({ sort, text, boosts = [] }: QueryPlan): readonly SortKey[] =>
  sort ?? (text || boosts.length > 0 ? [{ by: 'relevance' }] : []);

/** Every fault of a plan at once, or the plan. */
export const checkPlan = (schema: IndexSchema, plan: QueryPlan): Result<QueryPlan, PlanInvalid> => {
  const violations: Violation[] = [];
  const note: Note = (path, code, message) => void violations.push({ path, code, message });
  const { filter, choices = [], facets = [], boosts = [] } = plan;
  if (filter) checkFilter(schema, note, 'filter', filter);
  choices.forEach((choice, at) => checkFilter(schema, note, `choices[${at}].filter`, choice.filter));
  sortOf(plan).forEach((key, at) => checkSort(schema, note, `sort[${at}]`, key));
  boosts.forEach((boost, at) => checkBoost(schema, note, `boosts[${at}]`, boost));
  facets.forEach((facet, at) => checkFacet(schema, note, `facets[${at}]`, facet));
  const names = new Set(facets.map(({ name }) => name));
  if (names.size < facets.length) note('facets', 'DUPLICATE', 'facets have names of their own');
  if (facets.length > FACETS_MAX) note('facets', 'TOO_MANY', `at most ${FACETS_MAX}`);
  if (boosts.length > BOOSTS_MAX) note('boosts', 'TOO_MANY', `at most ${BOOSTS_MAX}`);
  checkPage(schema, note, plan.page, sortOf(plan));
  return violations.length > 0 ? err({ kind: 'PlanInvalid', violations }) : ok(plan);
};

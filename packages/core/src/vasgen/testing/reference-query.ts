import type { Freshness } from '../document/freshness.ts';
import { distanceMeters } from '../engine/geo.ts';
import type { DocumentFields, GeoPoint } from '../engine/index-change.ts';
import type {
  Boost,
  Cursor,
  Facet,
  FacetCounts,
  Filter,
  Hit,
  PageCap,
  QueryAnswer,
  QueryPlan,
  SortKey,
} from '../engine/query-plan.ts';
import { FACET_LIMIT_DEFAULT } from '../engine/query-plan.ts';
import { sortOf } from '../engine/check-plan.ts';
import { cosine } from '../engine/similarity.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';
import { referenceText, type ReferenceText } from './reference-text.ts';

export type ReferenceDocument = {
  readonly pk: string;
  readonly freshness: Freshness;
  readonly fields: DocumentFields;
  readonly texts: readonly ReferenceText[];
};

const valuesOf = (fields: DocumentFields, field: string): readonly (string | boolean)[] => {
  const value = fields[field] as string | boolean | readonly string[] | undefined;
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [value];
};

export const passes = (filter: Filter, fields: DocumentFields): boolean => {
  switch (filter.kind) {
    case 'all':
      return filter.of.every((one) => passes(one, fields));
    case 'any':
      return filter.of.some((one) => passes(one, fields));
    case 'not':
      return !passes(filter.of, fields);
    case 'exists':
      return filter.field in fields;
    case 'terms':
      return valuesOf(fields, filter.field).some((value) => filter.values.includes(value));
    case 'range': {
      const value = fields[filter.field];
      return (
        typeof value === 'number' && value >= (filter.min ?? -Infinity) && value <= (filter.max ?? Infinity)
      );
    }
    case 'radius': {
      const at = fields[filter.field];
      return at !== undefined && distanceMeters(filter.from, at as GeoPoint) <= filter.meters;
    }
  }
};

const boosted = (boosts: readonly Boost[], fields: DocumentFields, score: number): number =>
  boosts.reduce((product, boost) => {
    const value = fields[boost.field];
    if (boost.kind === 'factor')
      return product * (1 + boost.weight * (typeof value === 'number' ? value : 0));
    if (typeof value !== 'number') return product;
    return product * (1 + boost.weight * 2 ** (-Math.max(0, boost.now - value) / boost.halfLife));
  }, score);

type Value = number | string | null;
const keyValue = (key: SortKey, fields: DocumentFields, score: number): Value => {
  if (key.by === 'relevance') return score;
  const value = fields[key.field];
  if (value === undefined) return null;
  if (key.by === 'distance') return distanceMeters(key.from, value as GeoPoint);
  if (key.by === 'similarity') return cosine(key.to.map(Math.fround), value as readonly number[]);
  return typeof value === 'boolean' ? Number(value) : (value as number | string);
};

const isDescending = (key: SortKey): boolean =>
  key.by === 'relevance' || key.by === 'similarity' || (key.by === 'column' && key.direction === 'desc');

/** The order of two places, as the port promises it. */
export const comparePlaces = (keys: readonly SortKey[], a: Cursor, b: Cursor): number => {
  for (const [at, key] of keys.entries()) {
    const x = a.values[at]!;
    const y = b.values[at]!;
    if (x === y) continue;
    if (x === null) return 1;
    if (y === null) return -1;
    return x < y === isDescending(key) ? 1 : -1;
  }
  return a.pk < b.pk ? -1 : a.pk > b.pk ? 1 : 0;
};

const numbersIn = (fields: readonly DocumentFields[], name: string): readonly number[] =>
  fields.flatMap((one) => (typeof one[name] === 'number' ? [one[name]] : []));

const counted = (facet: Facet, fields: readonly DocumentFields[]): FacetCounts => {
  if (facet.kind === 'stats') {
    const numbers = numbersIn(fields, facet.field);
    const stats =
      numbers.length === 0
        ? { count: 0 }
        : { count: numbers.length, min: Math.min(...numbers), max: Math.max(...numbers) };
    return { name: facet.name, exact: true, counts: [], stats };
  }
  if (facet.kind === 'ranges') {
    const inside = ({ min = -Infinity, max = Infinity }: { min?: number; max?: number }): number =>
      numbersIn(fields, facet.field).filter((number) => number >= min && number < max).length;
    return {
      name: facet.name,
      exact: true,
      counts: facet.ranges.map((range, value) => ({ value, count: inside(range) })),
    };
  }
  const counts = new Map<string | boolean, number>();
  for (const one of fields)
    for (const value of valuesOf(one, facet.field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const order = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1));
  const { limit = FACET_LIMIT_DEFAULT } = facet;
  return { name: facet.name, exact: order.length <= limit, counts: order.slice(0, limit) };
};

/** Hit by hit: one is held back if the page has as many of its value already. */
const capped = (
  hits: readonly Hit[],
  limit: number,
  { field, max }: PageCap,
  fields: ReadonlyMap<string, DocumentFields>,
): Pick<QueryAnswer, 'hits' | 'heldBack'> => {
  const page: Hit[] = [];
  const valueOf = ({ pk }: Hit) => fields.get(pk)![field];
  for (const hit of hits) {
    const value = valueOf(hit);
    const same = page.filter((one) => value !== undefined && valueOf(one) === value);
    if (page.length < limit && same.length < max) page.push(hit);
  }
  const last = page.at(-1);
  const end = last && page.length === limit ? hits.indexOf(last) + 1 : limit === 0 ? 0 : hits.length;
  return { hits: page, heldBack: end - page.length };
};

/** Runs a checked plan by looking at every document for every question. */
export const referenceQuery = (
  documents: readonly ReferenceDocument[],
  analyzer: Analyzer,
  plan: QueryPlan,
): Omit<QueryAnswer, 'generation'> => {
  const text =
    plan.text &&
    referenceText(
      plan.text,
      analyzer,
      documents.map(({ texts }) => texts),
    );
  const { choices = [], facets = [], boosts = [] } = plan;
  const keys = sortOf(plan);
  const base = documents.filter(
    ({ fields, texts }) => (!text || text.matches(texts)) && (!plan.filter || passes(plan.filter, fields)),
  );
  const chosen = (own?: string): readonly ReferenceDocument[] =>
    base.filter(({ fields }) =>
      choices.every(({ facet, filter }) => facet === own || passes(filter, fields)),
    );
  const found = chosen();
  const hits = found
    .map(({ pk, freshness, fields, texts }): Hit => {
      const score = boosted(boosts, fields, text ? text.score(texts) : 1);
      return {
        pk,
        score,
        freshness,
        cursor: { pk, values: keys.map((key) => keyValue(key, fields, score)) },
      };
    })
    .sort((a, b) => comparePlaces(keys, a.cursor, b.cursor))
    .filter(({ cursor }) => !plan.page.after || comparePlaces(keys, cursor, plan.page.after) > 0);
  const { offset = 0, limit, cap } = plan.page;
  const page = hits.slice(offset, offset + limit);
  return {
    ...(cap
      ? capped(hits, limit, cap, new Map(found.map(({ pk, fields }) => [pk, fields])))
      : { hits: page }),
    total: found.length,
    facets: facets.map((facet) =>
      counted(
        facet,
        chosen(facet.name).map(({ fields }) => fields),
      ),
    ),
  };
};

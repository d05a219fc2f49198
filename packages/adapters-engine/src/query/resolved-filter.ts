import { distanceMeters, type Filter, type GeoPoint } from '@doska/core/vasgen';
import type { IndexLayout } from '../index/index-layout.ts';
import type { Segment } from '../index/segment.ts';
import { Several } from './column-kinds.ts';
import { idsOf, numbersOf } from './dense-views.ts';

/** `allowed[id]` is 1 for the values that pass; `ids` lists them. */
export type EnumFilter = {
  readonly kind: 'enum';
  readonly field: string;
  readonly allowed: Uint8Array;
  readonly ids: readonly number[];
};
/** A filter with its values looked up once for the whole query. */
export type ResolvedFilter =
  | EnumFilter
  | { readonly kind: 'string'; readonly field: string; readonly values: ReadonlySet<string> }
  | { readonly kind: 'range'; readonly field: string; readonly min: number; readonly max: number }
  | { readonly kind: 'radius'; readonly field: string; readonly from: GeoPoint; readonly meters: number }
  | { readonly kind: 'exists'; readonly field: string }
  | { readonly kind: 'all' | 'any'; readonly of: readonly ResolvedFilter[] }
  | { readonly kind: 'not'; readonly of: ResolvedFilter };

export const resolveFilter = (layout: IndexLayout, filter: Filter): ResolvedFilter => {
  switch (filter.kind) {
    case 'terms': {
      const dictionary = layout.dictionaries.get(filter.field);
      if (!dictionary)
        return { kind: 'string', field: filter.field, values: new Set(filter.values as string[]) };
      const ids = [...new Set(filter.values.map((value) => dictionary.find(value)))].filter((id) => id > 0);
      const allowed = new Uint8Array(dictionary.size);
      for (const id of ids) allowed[id] = 1;
      return { kind: 'enum', field: filter.field, allowed, ids };
    }
    case 'range':
      return {
        kind: 'range',
        field: filter.field,
        min: filter.min ?? -Infinity,
        max: filter.max ?? Infinity,
      };
    case 'radius':
    case 'exists':
      return filter;
    case 'all':
    case 'any':
      return { kind: filter.kind, of: filter.of.map((one) => resolveFilter(layout, one)) };
    case 'not':
      return { kind: 'not', of: resolveFilter(layout, filter.of) };
  }
};

/** The conditions that must all hold, without the `all` around them. */
export const conjunction = (filter: ResolvedFilter): readonly ResolvedFilter[] =>
  filter.kind === 'all' ? filter.of.flatMap(conjunction) : [filter];

export type Test = (document: number) => boolean;

/** A condition on the documents of one segment. */
export const testOf = (filter: ResolvedFilter, segment: Segment): Test => {
  switch (filter.kind) {
    case 'enum': {
      const { allowed } = filter;
      const several = Several.of(segment.column(filter.field));
      if (several) return (document) => several.hasOneOf(document, allowed);
      const ids = idsOf(segment, filter.field);
      return (document) => allowed[ids[document]!] === 1;
    }
    case 'string': {
      const column = segment.column(filter.field);
      return (document) => {
        const value = column?.valueAt(document) as string | readonly string[] | undefined;
        if (typeof value !== 'object') return value !== undefined && filter.values.has(value);
        return value.some((one) => filter.values.has(one));
      };
    }
    case 'range': {
      const values = numbersOf(segment, filter.field);
      const { min, max } = filter;
      return (document) => values[document]! >= min && values[document]! <= max;
    }
    case 'radius': {
      const column = segment.column(filter.field);
      return (document) => {
        const point = column?.valueAt(document) as GeoPoint | undefined;
        return point !== undefined && distanceMeters(filter.from, point) <= filter.meters;
      };
    }
    case 'exists': {
      const column = segment.column(filter.field);
      return (document) => column?.has(document) ?? false;
    }
    case 'all': {
      const tests = filter.of.map((one) => testOf(one, segment));
      return (document) => tests.every((test) => test(document));
    }
    case 'any': {
      const tests = filter.of.map((one) => testOf(one, segment));
      return (document) => tests.some((test) => test(document));
    }
    case 'not': {
      const test = testOf(filter.of, segment);
      return (document) => !test(document);
    }
  }
};

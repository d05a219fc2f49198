import { invalidInput, type InvalidInput, type Violation } from '@doska/core/kernel';
import type { Choice, Cursor, Facet, Filter, SearchRequest, SortKey, TextQuery } from '@doska/core/vasgen';
import { TextMatch } from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import type {
  Cursor as PbCursor,
  ExecuteRequest,
  Facet as PbFacet,
  Filter as PbFilter,
  SortKey as PbSortKey,
  TextQuery as PbText,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import { err, ok, type Result } from 'neverthrow';

/** Deeper filters are refused before they are read: the engine allows fewer. */
const DEPTH_MAX = 32;
const NOWHERE = { lat: Number.NaN, lon: Number.NaN };
type Note = (violation: Violation) => void;

const filterFromPb = (pb: PbFilter | undefined, path: string, note: Note, depth = 0): Filter | undefined => {
  const condition = pb?.condition;
  if (!condition || depth > DEPTH_MAX) {
    const message = condition ? `at most ${DEPTH_MAX} deep` : 'a filter has a condition';
    note({ path, code: condition ? 'TooDeep' : 'Missing', message });
    return undefined;
  }
  const inner = (one: PbFilter, at: string): Filter[] => {
    const found = filterFromPb(one, at, note, depth + 1);
    return found ? [found] : [];
  };
  switch (condition.$case) {
    case 'terms': {
      const { field, values, flags } = condition.value;
      return { kind: 'terms', field, values: flags.length > 0 ? flags : values };
    }
    case 'range': {
      const { field, min, max } = condition.value;
      return { kind: 'range', field, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
    }
    case 'radius': {
      const { field, from = NOWHERE, meters } = condition.value;
      return { kind: 'radius', field, from, meters };
    }
    case 'exists':
      return { kind: 'exists', field: condition.value };
    case 'all':
    case 'any':
      return {
        kind: condition.$case,
        of: condition.value.filters.flatMap((one, at) => inner(one, `${path}.${condition.$case}[${at}]`)),
      };
    case 'not': {
      const [of] = inner(condition.value, `${path}.not`);
      return of && { kind: 'not', of };
    }
  }
};
export const filterToPb = (filter: Filter): PbFilter => {
  switch (filter.kind) {
    case 'terms': {
      const values = filter.values.filter((value) => typeof value === 'string');
      const flags = filter.values.filter((value) => typeof value === 'boolean');
      return { condition: { $case: 'terms', value: { field: filter.field, values, flags } } };
    }
    case 'range':
      return {
        condition: { $case: 'range', value: { field: filter.field, min: filter.min, max: filter.max } },
      };
    case 'radius':
      return {
        condition: {
          $case: 'radius',
          value: { field: filter.field, from: filter.from, meters: filter.meters },
        },
      };
    case 'exists':
      return { condition: { $case: 'exists', value: filter.field } };
    case 'all':
    case 'any':
      return { condition: { $case: filter.kind, value: { filters: filter.of.map(filterToPb) } } };
    case 'not':
      return { condition: { $case: 'not', value: filterToPb(filter.of) } };
  }
};

const sortFromPb = ({ by }: PbSortKey, path: string, note: Note): SortKey[] => {
  switch (by?.$case) {
    case undefined:
      note({ path, code: 'Missing', message: 'a sort key says by what' });
      return [];
    case 'relevance':
      return [{ by: 'relevance' }];
    case 'column':
      return [{ by: 'column', field: by.value.field, direction: by.value.descending ? 'desc' : 'asc' }];
    case 'distance':
      return [{ by: 'distance', field: by.value.field, from: by.value.from ?? NOWHERE }];
    case 'similarity':
      return [{ by: 'similarity', field: by.value.field, to: by.value.to }];
  }
};
export const sortToPb = (key: SortKey): PbSortKey => {
  switch (key.by) {
    case 'relevance':
      return { by: { $case: 'relevance', value: {} } };
    case 'column':
      return { by: { $case: 'column', value: { field: key.field, descending: key.direction === 'desc' } } };
    case 'distance':
      return { by: { $case: 'distance', value: { field: key.field, from: key.from } } };
    case 'similarity':
      return { by: { $case: 'similarity', value: { field: key.field, to: [...key.to] } } };
  }
};

const matches: Readonly<Record<number, TextQuery['match']>> = {
  [TextMatch.TEXT_MATCH_UNSPECIFIED]: 'all',
  [TextMatch.TEXT_MATCH_ALL]: 'all',
  [TextMatch.TEXT_MATCH_ANY]: 'any',
  [TextMatch.TEXT_MATCH_PHRASE]: 'phrase',
};
const matchToPb = {
  all: TextMatch.TEXT_MATCH_ALL,
  any: TextMatch.TEXT_MATCH_ANY,
  phrase: TextMatch.TEXT_MATCH_PHRASE,
} as const;
const textFromPb = ({ words, match, prefixLast }: PbText, note: Note): TextQuery => {
  const how = matches[match];
  if (!how) note({ path: 'text.match', code: 'Unknown', message: 'ALL, ANY or PHRASE' });
  return { words, match: how ?? 'all', prefixLast };
};
export const textToPb = ({ words, match = 'all', prefixLast = false }: TextQuery): PbText => ({
  words,
  match: matchToPb[match],
  prefixLast,
});

const facetFromPb = ({ name, field, limit, ranges, stats }: PbFacet): Facet => {
  if (stats) return { kind: 'stats', name, field };
  if (ranges.length === 0) return { kind: 'terms', name, field, ...(limit > 0 && { limit }) };
  return {
    kind: 'ranges',
    name,
    field,
    ranges: ranges.map(({ min, max }) => ({
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    })),
  };
};
export const facetToPb = (facet: Facet): PbFacet => ({
  name: facet.name,
  field: facet.field,
  limit: facet.kind === 'terms' ? (facet.limit ?? 0) : 0,
  ranges:
    facet.kind === 'ranges' ? facet.ranges.map(({ min, max }) => ({ field: facet.field, min, max })) : [],
  stats: facet.kind === 'stats',
});

export const cursorFromPb = ({ values, pk }: PbCursor): Cursor => ({
  pk,
  values: values.map(({ value }) => value?.value ?? null),
});
export const cursorToPb = ({ values, pk }: Cursor): PbCursor => ({
  pk,
  values: values.map((value) => {
    if (value === null) return { value: undefined };
    return typeof value === 'number'
      ? { value: { $case: 'number', value } }
      : { value: { $case: 'text', value } };
  }),
});

/** The request without its client and epoch. Everything that is wrong with its form is told at once. */
export const requestFromPb = (pb: ExecuteRequest): Result<Omit<SearchRequest, 'epoch'>, InvalidInput> => {
  const violations: Violation[] = [];
  const note: Note = (violation) => void violations.push(violation);
  const filter = pb.filter && filterFromPb(pb.filter, 'filter', note);
  const choices = pb.choices.flatMap(({ facet, filter: of }, at): Choice[] => {
    const found = filterFromPb(of, `choices[${at}].filter`, note);
    return found ? [{ facet, filter: found }] : [];
  });
  const sort = pb.sort.flatMap((key, at) => sortFromPb(key, `sort[${at}]`, note));
  const text = pb.text && textFromPb(pb.text, note);
  if (violations.length > 0) return err(invalidInput(...violations));
  return ok({
    plan: pb.plan,
    page: {
      limit: pb.limit,
      ...(pb.offset > 0 && { offset: pb.offset }),
      ...(pb.after && { after: cursorFromPb(pb.after) }),
      ...(pb.cap && { cap: pb.cap }),
    },
    facets: pb.facets.map(facetFromPb),
    ...(text && { text }),
    ...(filter && { filter }),
    ...(choices.length > 0 && { choices }),
    ...(sort.length > 0 && { sort }),
    ...(pb.nowMs > 0n && { nowMs: Number(pb.nowMs) }),
    ...(pb.timeMs > 0 && { bounds: { timeMs: pb.timeMs } }),
  });
};
export const requestToPb = (client: string, request: SearchRequest): ExecuteRequest => ({
  client,
  plan: request.plan,
  epoch: BigInt(request.epoch ?? 0),
  text: request.text && textToPb(request.text),
  filter: request.filter && filterToPb(request.filter),
  choices: (request.choices ?? []).map(({ facet, filter }) => ({ facet, filter: filterToPb(filter) })),
  sort: (request.sort ?? []).map(sortToPb),
  limit: request.page.limit,
  offset: request.page.offset ?? 0,
  after: request.page.after && cursorToPb(request.page.after),
  facets: (request.facets ?? []).map(facetToPb),
  nowMs: BigInt(request.nowMs ?? 0),
  timeMs: request.bounds?.timeMs ?? 0,
  cap: request.page.cap,
});

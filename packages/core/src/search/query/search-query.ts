import { err, ok, type Result } from 'neverthrow';
import {
  invalidInput,
  textViolations,
  xxh64,
  type InvalidInput,
  type Violation,
} from '../../kernel/index.ts';
import type { GeoPoint } from '../../vasgen/index.ts';
import { formatFilter, parseFilter, type ChosenFilter } from './filter-text.ts';

export const SORTS = ['relevance', 'date', 'price', 'priceDesc', 'distance'] as const;
export type Sort = (typeof SORTS)[number];

export const SPELLINGS = ['auto', 'off'] as const;
export type Spelling = (typeof SPELLINGS)[number];

/** A buyer's request as it comes in. */
export type RawQuery = {
  readonly text: string;
  readonly category: string;
  readonly filters: readonly string[];
  readonly sort: string;
  /** For the sort by distance: `latitude,longitude`. */
  readonly near: string;
  /** Undefined: the default. */
  readonly pageSize: number | undefined;
  readonly pageToken: string;
  /** `off`: the text is searched for as it is. Empty: `auto`. */
  readonly spelling: string;
};
/** The same with every part checked for its form. Ids are checked against the catalogue later. */
export type SearchQuery = {
  readonly text: string;
  readonly category: string | undefined;
  readonly filters: readonly ChosenFilter[];
  readonly sort: Sort;
  readonly near: GeoPoint | undefined;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly spelling: Spelling;
};
export type QueryLimits = {
  readonly textCharsMax: number;
  readonly filtersMax: number;
  readonly filterCharsMax: number;
  readonly pageSizeDefault: number;
  readonly pageSizeMax: number;
};
export const defaultQueryLimits: QueryLimits = {
  textCharsMax: 400,
  filtersMax: 50,
  filterCharsMax: 4_000,
  pageSizeDefault: 20,
  pageSizeMax: 100,
};

const ID_CHARS_MAX = 100;
export const parsePoint = (text: string): GeoPoint | undefined => {
  const [, lat, lon] = /^(-?\d{1,3}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?)$/.exec(text) ?? [];
  const point = { lat: Number(lat), lon: Number(lon) };
  return lat !== undefined && Math.abs(point.lat) <= 90 && Math.abs(point.lon) <= 180 ? point : undefined;
};

/** Everything that is wrong is told at once, each with its field. */
export const parseQuery = (raw: RawQuery, limits: QueryLimits): Result<SearchQuery, InvalidInput> => {
  const violations: Violation[] = [];
  const refuse = (path: string, code: string, message: string): void =>
    void violations.push({ path, code, message });
  violations.push(...textViolations('text', raw.text, { charsMax: limits.textCharsMax, lines: true }));
  violations.push(...textViolations('category', raw.category, { charsMax: ID_CHARS_MAX }));
  if (raw.filters.length > limits.filtersMax)
    refuse('filter', 'TooMany', `at most ${limits.filtersMax} filters`);
  const filters: ChosenFilter[] = [];
  for (const [at, text] of raw.filters.slice(0, limits.filtersMax).entries()) {
    const path = `filter[${at}]`;
    const faults = textViolations(path, text, { charsMin: 1, charsMax: limits.filterCharsMax });
    if (faults.length > 0) violations.push(...faults);
    else
      parseFilter(text, path).match(
        (filter) => {
          if (filters.some(({ id }) => id === filter.id))
            refuse(path, 'Repeated', `${filter.id} stands twice`);
          else filters.push(filter);
        },
        (violation) => void violations.push(violation),
      );
  }
  const sort = raw.sort === '' ? 'relevance' : SORTS.find((one) => one === raw.sort);
  if (!sort) refuse('sort', 'Unknown', `one of ${SORTS.join(', ')}`);
  const spelling = raw.spelling === '' ? 'auto' : SPELLINGS.find((one) => one === raw.spelling);
  if (!spelling) refuse('spelling', 'Unknown', `one of ${SPELLINGS.join(', ')}`);
  const near = raw.near === '' ? undefined : parsePoint(raw.near);
  if (raw.near !== '' && !near) refuse('near', 'Malformed', '`latitude,longitude` in degrees');
  if (sort === 'distance' && raw.near === '') refuse('near', 'Missing', 'a sort by distance needs a point');
  const pageSize = raw.pageSize ?? limits.pageSizeDefault;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > limits.pageSizeMax)
    refuse('page_size', 'Range', `1 to ${limits.pageSizeMax}`);
  if (violations.length > 0 || !sort || !spelling) return err(invalidInput(...violations));
  return ok({
    text: raw.text.trim(),
    category: raw.category === '' ? undefined : raw.category,
    filters,
    sort,
    near,
    pageSize,
    pageToken: raw.pageToken,
    spelling,
  });
};

/** Names the query in its page tokens: a token of another query is refused. The size of a page may change. */
export const queryFingerprint = ({ text, category, filters, sort, near, spelling }: SearchQuery): string =>
  xxh64(
    JSON.stringify([
      text,
      category ?? '',
      filters.map(formatFilter).toSorted(),
      sort,
      near ?? null,
      spelling,
    ]),
  ).toString(36);

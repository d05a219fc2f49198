import type { Attribute } from './attribute.ts';
import type { Category } from './category.ts';
import { FED_FILTERS, type FedFilter } from './standard-filters.ts';

/** The attributes behind these filters before attributes could say which filter they feed. */
const DEFAULT_FEEDERS: Readonly<Record<FedFilter, string>> = {
  employment: 'employment-type',
  schedule: 'work-schedule',
};

/**
 * The attributes of a catalogue that was published before attributes could say which filter they feed: the attributes
 * with the usual ids feed the filters. A catalogue in which any attribute says it stays as it is.
 */
export const withDefaultFeeds = (
  attributes: readonly Attribute[],
  categories: readonly Category[],
): readonly Attribute[] => {
  if (attributes.some(({ feeds }) => feeds !== undefined)) return attributes;
  const offered = FED_FILTERS.filter((filter) =>
    categories.some(({ filters }) => filters.add.includes(filter)),
  );
  if (offered.length === 0) return attributes;
  return attributes.map((attribute) => {
    const { id, type, filterable, retired } = attribute;
    const feeds = offered.find((filter) => DEFAULT_FEEDERS[filter] === id);
    const isAble = type.kind === 'dictionary' && filterable && !retired;
    return feeds !== undefined && isAble ? { ...attribute, feeds } : attribute;
  });
};

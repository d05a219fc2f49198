import type { Catalog, CategoryId } from '../../catalog/index.ts';
import { shownFilters, type FilterSpec } from './shown-filters.ts';

export type CategoryFilters = (catalog: Catalog, id: CategoryId) => readonly FilterSpec[];

/** The filters of one category. They depend on the catalogue alone, so they are made once for each of its versions. */
export const makeCategoryFilters = (): CategoryFilters => {
  const known = new WeakMap<Catalog, Map<CategoryId, readonly FilterSpec[]>>();
  return (catalog, id) => {
    const ofCatalog = known.get(catalog) ?? new Map<CategoryId, readonly FilterSpec[]>();
    known.set(catalog, ofCatalog);
    const found = ofCatalog.get(id);
    if (found) return found;
    const { filters } = shownFilters({ catalog, found: [], requested: id, used: [], coverageMin: 1 });
    ofCatalog.set(id, filters);
    return filters;
  };
};

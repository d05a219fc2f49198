export const STANDARD_FILTERS = [
  'price',
  'geo',
  'withPhoto',
  'publishedWithin',
  'sellerType',
  'salary',
  'employment',
  'schedule',
] as const;
export type StandardFilter = (typeof STANDARD_FILTERS)[number];

/** What every category has unless it or an ancestor says otherwise. */
export const DEFAULT_FILTERS: readonly StandardFilter[] = [
  'price',
  'geo',
  'withPhoto',
  'publishedWithin',
  'sellerType',
];

/** Standard filters that an attribute of the catalogue feeds. The others are fed by the offer itself. */
export const FED_FILTERS = ['employment', 'schedule'] as const satisfies readonly StandardFilter[];
export type FedFilter = (typeof FED_FILTERS)[number];

/** How a category's standard filters differ from its parent's. */
export type FilterOverride = {
  readonly add: readonly StandardFilter[];
  readonly remove: readonly StandardFilter[];
};
export const noOverride: FilterOverride = { add: [], remove: [] };

/** Removed first, then added; the order is that of STANDARD_FILTERS, so that it never depends on the path. */
export const overridden = (
  filters: readonly StandardFilter[],
  { add, remove }: FilterOverride,
): readonly StandardFilter[] => {
  const kept = new Set<StandardFilter>([...filters.filter((filter) => !remove.includes(filter)), ...add]);
  return STANDARD_FILTERS.filter((filter) => kept.has(filter));
};

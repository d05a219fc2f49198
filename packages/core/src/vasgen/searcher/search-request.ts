import type {
  Choice,
  Facet,
  Filter,
  Page,
  QueryAnswer,
  QueryBounds,
  QueryPlan,
  SortKey,
  TextQuery,
} from '../engine/query-plan.ts';
import type { Explanation } from '../engine/explanation.ts';
import { boostsOf, facetsOf, type DeclaredPlan } from '../schema/declared-plan.ts';

/** A query by the name of a declared plan, with its own conditions. */
export type SearchRequest = {
  /** The plan; empty: one without boosts and counts. */
  readonly plan: string;
  /** The living epoch that answers; undefined: the serving one. */
  readonly epoch?: number;
  readonly text?: TextQuery;
  readonly filter?: Filter;
  readonly choices?: readonly Choice[];
  readonly sort?: readonly SortKey[];
  readonly page: Page;
  /** Counts besides those of the plan. */
  readonly facets?: readonly Facet[];
  /** The moment that ages are counted from; undefined: the searcher's clock. */
  readonly nowMs?: number;
  readonly bounds?: QueryBounds;
};
export type SearchAnswer = QueryAnswer & {
  readonly epoch: number;
  /** Which searcher answered. `generation` counts inside it. */
  readonly searcher: string;
  /** How far the index is behind the topic. */
  readonly indexAgeMs: number;
};

/** Why a document is or is not a hit of a request. */
export type ExplainAnswer = Explanation & {
  readonly epoch: number;
  readonly searcher: string;
  readonly indexAgeMs: number;
};

/** The plan as the engine runs it: counts of the declared plan first, then those of the request. */
export const queryPlanOf = (request: SearchRequest, declared: DeclaredPlan, nowMs: number): QueryPlan => {
  const { text, filter, choices, sort, page, facets = [], bounds } = request;
  const counts = facetsOf(declared);
  return {
    page,
    boosts: boostsOf(declared, request.nowMs ?? nowMs),
    facets: counts.length === 0 ? facets : [...counts, ...facets],
    ...(text && { text }),
    ...(filter && { filter }),
    ...(choices && { choices }),
    ...(sort && sort.length > 0 && { sort }),
    ...(bounds && { bounds }),
  };
};

import { sortOf } from '../engine/check-plan.ts';
import type { Hit, QueryAnswer, QueryPlan } from '../engine/query-plan.ts';

const pks = (hits: readonly Hit[]): readonly string[] => hits.map(({ pk }) => pk);
const isClose = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** `all` holds every hit of the plan, from the reference. */
const relevanceFaults = (
  all: readonly Hit[],
  actual: QueryAnswer,
  plan: QueryPlan,
  scores: boolean,
): string[] => {
  const { offset = 0, limit } = plan.page;
  const expected = all.slice(offset, offset + limit);
  const byPk = new Map(all.map((hit) => [hit.pk, hit.score]));
  const faults: string[] = [];
  if (actual.hits.length !== expected.length)
    faults.push(`${actual.hits.length} hits, not ${expected.length}`);
  if (new Set(pks(actual.hits)).size < actual.hits.length) faults.push('a hit comes twice');
  for (const [at, { pk, score }] of actual.hits.entries()) {
    const truth = byPk.get(pk);
    if (truth === undefined) faults.push(`${pk} does not match`);
    else if (scores && !isClose(truth, score)) faults.push(`${pk} scores ${score}, not ${truth}`);
    else if (scores && !isClose(truth, expected[at]?.score ?? Number.NaN))
      faults.push(`${pk} with ${truth} stands where ${expected[at]?.score} belongs`);
  }
  return faults;
};

/**
 * What is wrong with an answer. Sets, totals, counts and orders by column must be equal. Scores and the order by them
 * are compared (to six digits) only where `scores` says so: two engines need not rank alike.
 */
export const disagreements = (
  all: Omit<QueryAnswer, 'generation'>,
  actual: QueryAnswer,
  plan: QueryPlan,
  { scores }: { readonly scores: boolean },
): string[] => {
  const faults: string[] = [];
  if (actual.cut) faults.push(`cut by ${actual.cut}`);
  if (actual.total !== all.total) faults.push(`total ${actual.total}, not ${all.total}`);
  if (!same(actual.facets, all.facets))
    faults.push(`facets ${JSON.stringify(actual.facets)}, not ${JSON.stringify(all.facets)}`);
  if (sortOf(plan).some(({ by }) => by === 'relevance'))
    return [...faults, ...relevanceFaults(all.hits, actual, plan, scores)];
  const { offset = 0, limit } = plan.page;
  const expected = pks(all.hits.slice(offset, offset + limit));
  if (!same(pks(actual.hits), expected))
    faults.push(`hits ${pks(actual.hits).join()}, not ${expected.join()}`);
  return faults;
};

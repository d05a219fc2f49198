import type { Freshness } from '../document/freshness.ts';
import type { FieldValue } from './index-change.ts';
import type { Filter, QueryPlan } from './query-plan.ts';

/** A word that the query asks for. Stop words and repeated words are left out. */
export type ExplainedWord = {
  /** As the query has it, folded. */
  readonly word: string;
  readonly holds: boolean;
  /** Living documents that hold it. */
  readonly documents: number;
  /** How often it stands in each text field; fields without it are left out. Counts end at `TERM_COUNT_MAX`. */
  readonly counts: readonly { readonly field: string; readonly count: number }[];
  /** Its part of the relevance. */
  readonly score: number;
};
/** One condition of the filter or of a choice, the inner ones of `all`, `any` and `not` too. */
export type ExplainedCondition = {
  /** Its place in the plan: `filter`, `filter.of[1]`, `choices[0].filter`. */
  readonly path: string;
  readonly kind: Filter['kind'];
  readonly field?: string;
  readonly holds: boolean;
  /** What the document has in the field; absent: it has nothing there. */
  readonly value?: FieldValue;
};
/** `factor`: what the relevance is multiplied by. */
export type ExplainedBoost = { readonly field: string; readonly value?: number; readonly factor: number };
export type ExplainedDocument = {
  readonly state: 'alive';
  readonly freshness: Freshness;
  /** True: the document is a hit of the plan. */
  readonly matches: boolean;
  /** Absent: the plan asks for no words. */
  readonly text?: { readonly holds: boolean; readonly words: readonly ExplainedWord[] };
  readonly conditions: readonly ExplainedCondition[];
  /** The sum of its words' scores; 1 where the plan asks for no words. */
  readonly relevance: number;
  readonly boosts: readonly ExplainedBoost[];
  /** Relevance times boosts. Told for a document that does not match too. */
  readonly score: number;
  /** Its place among all hits of the plan, from 1. Absent if it does not match, or if the answer was cut. */
  readonly rank?: number;
  readonly cut?: 'time' | 'memory';
};
export type Explanation = { readonly generation: number } & (
  | { readonly state: 'unknown' }
  | { readonly state: 'tombstone'; readonly freshness: Freshness }
  | ExplainedDocument
);

/** How an engine looks at one document. */
export type DocumentView = {
  readonly holds: (filter: Filter) => boolean;
  readonly valueOf: (field: string) => FieldValue | undefined;
};

const eachCondition = (filter: Filter, path: string, take: (filter: Filter, path: string) => void): void => {
  take(filter, path);
  if (filter.kind === 'not') eachCondition(filter.of, `${path}.of`, take);
  else if (filter.kind === 'all' || filter.kind === 'any')
    filter.of.forEach((one, at) => eachCondition(one, `${path}.of[${at}]`, take));
};

/** Every condition of a plan with whether it holds and the value it saw. */
export const explainConditions = (
  { filter, choices = [] }: Pick<QueryPlan, 'filter' | 'choices'>,
  { holds, valueOf }: DocumentView,
): readonly ExplainedCondition[] => {
  const conditions: ExplainedCondition[] = [];
  const take = (one: Filter, path: string): void => {
    const field = 'field' in one ? one.field : undefined;
    const value = field === undefined ? undefined : valueOf(field);
    conditions.push({
      path,
      kind: one.kind,
      holds: holds(one),
      ...(field !== undefined && { field }),
      ...(value !== undefined && { value }),
    });
  };
  if (filter) eachCondition(filter, 'filter', take);
  for (const [at, choice] of choices.entries()) eachCondition(choice.filter, `choices[${at}].filter`, take);
  return conditions;
};

/** The conditions of a plan itself, without those inside of them: all of them hold for a hit. */
export const isOutermost = ({ path }: ExplainedCondition): boolean => !path.includes('.of');

/** What each boost of a plan makes of a document. */
export const explainBoosts = (
  { boosts = [] }: Pick<QueryPlan, 'boosts'>,
  valueOf: DocumentView['valueOf'],
): readonly ExplainedBoost[] =>
  boosts.map((boost) => {
    const found = valueOf(boost.field);
    const value = typeof found === 'number' ? found : undefined;
    if (value === undefined) return { field: boost.field, factor: 1 };
    const factor =
      boost.kind === 'factor'
        ? 1 + boost.weight * value
        : 1 + boost.weight * 2 ** (-Math.max(0, boost.now - value) / boost.halfLife);
    return { field: boost.field, value, factor };
  });

import type { Violation } from '../../kernel/index.ts';
import type { Boost, Facet } from '../engine/query-plan.ts';
import type { FieldKind, IndexSchema } from '../engine/index-schema.ts';

/** Without `halfLifeMs` the field is a factor; with it the field is a moment in milliseconds, and newer documents gain. */
export type PlanBoost = { readonly field: string; readonly weight: number; readonly halfLifeMs?: number };
export type PlanCount = { readonly field: string; readonly limit: number };
/** What every query of this name asks for besides its own conditions: a client declares it with its fields. */
export type DeclaredPlan = {
  readonly boosts: readonly PlanBoost[];
  /** Enum or boolean fields whose values are counted in every answer, under the name of the field. */
  readonly counts: readonly PlanCount[];
};
export type DeclaredPlans = Readonly<Record<string, DeclaredPlan>>;

export const PLANS_MAX = 16;
export const PLAN_COUNT_LIMIT_MAX = 100_000;
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const COUNTED: readonly (FieldKind | undefined)[] = ['enum', 'boolean'];
const kindOf = (fields: IndexSchema, name: string): FieldKind | undefined =>
  Object.hasOwn(fields, name) ? fields[name]!.kind : undefined;

const boostFaults = (path: string, fields: IndexSchema, boost: PlanBoost): readonly Violation[] => {
  const { field, weight, halfLifeMs } = boost;
  const faults: Violation[] = [];
  if (kindOf(fields, field) !== 'number')
    faults.push({ path: `${path}.${field}`, code: 'Type', message: 'a boost needs a number field' });
  if (!(weight >= 0 && Number.isFinite(weight)))
    faults.push({ path: `${path}.${field}.weight`, code: 'Range', message: 'a weight is 0 or more' });
  if (halfLifeMs !== undefined && !(halfLifeMs > 0 && Number.isFinite(halfLifeMs)))
    faults.push({ path: `${path}.${field}.half_life_ms`, code: 'Range', message: 'a half-life is above 0' });
  return faults;
};
const countFaults = (
  path: string,
  fields: IndexSchema,
  { field, limit }: PlanCount,
): readonly Violation[] => {
  const faults: Violation[] = [];
  if (!COUNTED.includes(kindOf(fields, field)))
    faults.push({ path: `${path}.${field}`, code: 'Type', message: 'counts need an enum or boolean field' });
  if (!Number.isInteger(limit) || limit < 1 || limit > PLAN_COUNT_LIMIT_MAX)
    faults.push({
      path: `${path}.${field}.limit`,
      code: 'Range',
      message: `a whole number from 1 to ${PLAN_COUNT_LIMIT_MAX}`,
    });
  return faults;
};

/** What is wrong with the plans, given the fields of the epoch. */
export const planFaults = (plans: DeclaredPlans, fields: IndexSchema): readonly Violation[] => {
  const faults: Violation[] = [];
  const entries = Object.entries(plans);
  if (entries.length > PLANS_MAX)
    faults.push({ path: 'plans', code: 'TooMany', message: `at most ${PLANS_MAX} plans` });
  for (const [name, { boosts, counts }] of entries) {
    const path = `plans.${name}`;
    if (!NAME.test(name))
      faults.push({ path, code: 'Malformed', message: 'a name has 1 to 40 small letters, digits, - and _' });
    for (const boost of boosts) faults.push(...boostFaults(path, fields, boost));
    for (const count of counts) faults.push(...countFaults(path, fields, count));
  }
  return faults;
};

/** The boosts of a plan at a moment. */
export const boostsOf = ({ boosts }: DeclaredPlan, nowMs: number): readonly Boost[] =>
  boosts.map(({ field, weight, halfLifeMs }) =>
    halfLifeMs === undefined
      ? { kind: 'factor', field, weight }
      : { kind: 'recency', field, weight, now: nowMs, halfLife: halfLifeMs },
  );
export const facetsOf = ({ counts }: DeclaredPlan): readonly Facet[] =>
  counts.map(({ field, limit }) => ({ kind: 'terms', name: field, field, limit }));

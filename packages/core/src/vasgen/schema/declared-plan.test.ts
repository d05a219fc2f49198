import { describe, expect, test } from 'vitest';
import type { IndexSchema } from '../engine/index-schema.ts';
import { boostsOf, facetsOf, planFaults, PLANS_MAX, type DeclaredPlan } from './declared-plan.ts';
import { declaredSchema } from './epoch-schema.ts';

const fields: IndexSchema = { age: { kind: 'number' }, color: { kind: 'enum' }, isNew: { kind: 'boolean' } };
const plan = (given: Partial<DeclaredPlan> = {}): DeclaredPlan => ({ boosts: [], counts: [], ...given });

describe('plans of a client', () => {
  test.each<[string, DeclaredPlan, readonly string[]]>([
    ['nothing', plan(), []],
    ['a factor', plan({ boosts: [{ field: 'age', weight: 0 }] }), []],
    ['a boost of an enum', plan({ boosts: [{ field: 'color', weight: 1 }] }), ['plans.p.color']],
    [
      'a boost of an unknown field',
      plan({ boosts: [{ field: 'constructor', weight: 1 }] }),
      ['plans.p.constructor'],
    ],
    ['a negative weight', plan({ boosts: [{ field: 'age', weight: -1 }] }), ['plans.p.age.weight']],
    [
      'no half-life',
      plan({ boosts: [{ field: 'age', weight: 1, halfLifeMs: 0 }] }),
      ['plans.p.age.half_life_ms'],
    ],
    [
      'counts',
      plan({
        counts: [
          { field: 'color', limit: 1 },
          { field: 'isNew', limit: 100_000 },
        ],
      }),
      [],
    ],
    ['counts of a number', plan({ counts: [{ field: 'age', limit: 1 }] }), ['plans.p.age']],
    ['no limit', plan({ counts: [{ field: 'color', limit: 0 }] }), ['plans.p.color.limit']],
    [
      'a limit above the bound',
      plan({ counts: [{ field: 'color', limit: 100_001 }] }),
      ['plans.p.color.limit'],
    ],
  ])('[V9] %s', (_, given, paths) => {
    expect(planFaults({ p: given }, fields).map(({ path }) => path)).toEqual(paths);
  });
  test('[V9] names and numbers of plans are bounded', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, plan()]));
    expect(planFaults(many(PLANS_MAX), fields)).toEqual([]);
    expect(planFaults(many(PLANS_MAX + 1), fields)).toHaveLength(1);
    expect(planFaults({ 'No Name': plan() }, fields)).toHaveLength(1);
  });
  test('[V9] a plan becomes boosts at a moment and counts by field', () => {
    const given = plan({
      boosts: [
        { field: 'age', weight: 2, halfLifeMs: 10 },
        { field: 'age', weight: 3 },
      ],
      counts: [{ field: 'color', limit: 5 }],
    });
    expect(boostsOf(given, 77)).toEqual([
      { kind: 'recency', field: 'age', weight: 2, now: 77, halfLife: 10 },
      { kind: 'factor', field: 'age', weight: 3 },
    ]);
    expect(facetsOf(given)).toEqual([{ kind: 'terms', name: 'color', field: 'color', limit: 5 }]);
  });
});

describe('declaring plans', () => {
  const schema = { number: 4, fields };
  const declare = (plans: Record<string, DeclaredPlan>, before = schema) =>
    declaredSchema(before, {}, plans)._unsafeUnwrap();
  test('[V9] a new plan is a growth of the schema', () => {
    expect(declare({ p: plan() })).toEqual({ number: 5, fields, plans: { p: plan() } });
  });
  test('[V9] the same plan again changes nothing, another one replaces it and keeps the rest', () => {
    const grown = declare({ p: plan(), q: plan() })!;
    expect(declare({ p: plan() }, grown)).toBeUndefined();
    const changed = plan({ boosts: [{ field: 'age', weight: 1 }] });
    expect(declare({ p: changed }, grown)).toEqual({ number: 6, fields, plans: { p: changed, q: plan() } });
  });
  test('[V9] a plan may use a field that is declared with it', () => {
    const counts = [{ field: 'size', limit: 3 }];
    const grown = declaredSchema(schema, { size: { kind: 'enum' } }, { p: plan({ counts }) });
    expect(grown._unsafeUnwrap()?.plans).toEqual({ p: plan({ counts }) });
    expect(declaredSchema(schema, {}, { p: plan({ counts }) }).isErr()).toBe(true);
  });
  test('[V4] fields that grow later keep the plans', () => {
    const grown = declare({ p: plan() })!;
    expect(declaredSchema(grown, { size: { kind: 'enum' } })._unsafeUnwrap()?.plans).toEqual({ p: plan() });
  });
});

import { expect, test } from 'vitest';
import { checkPlan } from './check-plan.ts';
import { changeFaults, type IndexChange } from './index-change.ts';
import type { IndexSchema } from './index-schema.ts';
import type { Boost, QueryPlan } from './query-plan.ts';

const schema: IndexSchema = {
  title: { kind: 'text' },
  price: { kind: 'number' },
  place: { kind: 'geo' },
  color: { kind: 'enum' },
  look: { kind: 'vector', dimension: 2 },
};
const freshness = { epoch: 1, version: 1, timestampMs: 1 };
const faultsOf = (change: unknown) => changeFaults(schema, 1, change as IndexChange).map(({ path }) => path);
const withField = (name: string, value: unknown) => ({
  pk: 'a',
  freshness,
  event: 'upsert',
  fields: { [name]: value },
});

test.each([
  ['place', null],
  ['place', 'here'],
  ['place', { lat: '1', lon: '2' }],
  ['place', { lat: 1 }],
  ['place', { lat: Number.NaN, lon: 0 }],
  ['place', { lat: 90.1, lon: 0 }],
  ['title', null],
  ['price', null],
  ['price', 1.1e24],
  ['price', Number.NaN],
  ['color', null],
  ['look', null],
  ['look', [1, 1e39]],
  ['look', [1, Number.NaN]],
  ['look', ['1', 2]],
  ['look', [1]],
])('[X15] a change with %s = %j gets a verdict that names the field', (name, value) => {
  expect(faultsOf(withField(name, value))).toEqual([name]);
});
test.each([
  ['price', 1e24],
  ['price', -1e24],
  ['look', [3.4e38, -3.4e38]],
  ['place', { lat: -90, lon: 180 }],
])('[X15] a change with %s = %j is accepted', (name, value) => {
  expect(faultsOf(withField(name, value))).toEqual([]);
});
test.each([
  [null, ['']],
  [7, ['']],
  [{ pk: 5, freshness, event: 'upsert' }, ['pk']],
  [{ pk: 'a', freshness: null, event: 'upsert' }, ['freshness']],
  [{ pk: 'a', freshness, event: 'replace' }, ['event']],
  [{ pk: 'a', freshness, event: 'upsert', fields: null }, ['fields']],
  [{ pk: 'a', freshness, event: 'upsert', fields: [] }, ['fields']],
])('[X15] a malformed change %j gets a verdict', (change, paths) => {
  expect(faultsOf(change)).toEqual(paths);
});

const violationsOf = (plan: Partial<QueryPlan>) =>
  checkPlan(schema, { page: { limit: 10 }, ...plan }).match(
    () => [],
    ({ violations }) => violations.map(({ path }) => path),
  );
const recency = { kind: 'recency', field: 'price', weight: 1, now: 1, halfLife: 1 } as const;
const factor = (weight: number): Boost => ({ kind: 'factor', field: 'price', weight });

test.each<[Boost, readonly string[]]>([
  [{ ...recency, now: Number.NaN }, ['boosts[0].now']],
  [{ ...recency, now: Infinity }, ['boosts[0].now']],
  [{ ...recency, halfLife: Infinity }, ['boosts[0].halfLife']],
  [{ ...recency, halfLife: 0 }, ['boosts[0].halfLife']],
  [factor(1.1e9), ['boosts[0].weight']],
  [factor(Number.NaN), ['boosts[0].weight']],
  [factor(-1e9), []],
  [recency, []],
])('[X15] the boost %j is checked at the door', (boost, paths) => {
  expect(violationsOf({ boosts: [boost] })).toEqual(paths);
});
test('[X15] eight boosts are accepted and nine are refused', () => {
  const boosts = (count: number) => Array.from({ length: count }, () => factor(1));
  expect(violationsOf({ boosts: boosts(8) })).toEqual([]);
  expect(violationsOf({ boosts: boosts(9) })).toEqual(['boosts']);
});
test.each<[unknown, readonly string[]]>([
  [[1, 'red'], []],
  [[null, null], []],
  [['1', 'red'], ['page.after.values[0]']],
  [[Number.NaN, 'red'], ['page.after.values[0]']],
  [[1, 5], ['page.after.values[1]']],
  [[1], ['page.after']],
  [null, ['page.after']],
])('[X15] a cursor with the values %j is checked against the sort', (values, paths) => {
  const sort = [
    { by: 'column', field: 'price', direction: 'asc' },
    { by: 'column', field: 'color', direction: 'asc' },
  ] as const;
  expect(violationsOf({ sort, page: { limit: 1, after: { pk: 'a', values: values as never } } })).toEqual(
    paths,
  );
});

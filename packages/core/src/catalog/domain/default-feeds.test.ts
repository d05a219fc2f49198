import { expect, test } from 'vitest';
import { named } from '../testing/catalog.arbitraries.ts';
import type { Attribute, AttributeId, ValueId } from './attribute.ts';
import { catalogOf } from './catalog.ts';
import type { Category, CategoryId } from './category.ts';
import { noOverride } from './standard-filters.ts';

const dictionary = (id: string, more: Partial<Attribute> = {}): Attribute => ({
  id: id as AttributeId,
  names: named(id),
  type: {
    kind: 'dictionary',
    values: ['a', 'b'].map((value) => ({ id: value as ValueId, names: named(value), retired: false })),
  },
  multiple: false,
  filterable: true,
  retired: false,
  ...more,
});
const root: Category = {
  id: 'all' as CategoryId,
  parent: undefined,
  names: named('all'),
  attributes: [],
  filters: noOverride,
  retired: false,
};
const job: Category = {
  ...root,
  id: 'job' as CategoryId,
  parent: root.id,
  attributes: ['employment-type', 'work-schedule'].map((id) => ({ attribute: id as AttributeId })),
  filters: { add: ['salary', 'employment', 'schedule'], remove: ['price'] },
};
const old = [dictionary('employment-type'), dictionary('work-schedule'), dictionary('brand')];
const feedsOf = (attributes: readonly Attribute[], categories: readonly Category[] = [root, job]) => {
  const catalog = catalogOf(1, { categories, attributes });
  return Object.fromEntries(
    catalog.content.attributes.flatMap(({ id, feeds }) => {
      // Whatever way the attribute is asked for.
      expect(catalog.attribute(id)?.feeds).toBe(feeds);
      return feeds === undefined ? [] : [[id, feeds]];
    }),
  );
};

test('[C1] [S7] in a catalogue from before attributes said which filter they feed, the usual ones feed employment and schedule', () => {
  expect(feedsOf(old)).toEqual({ 'employment-type': 'employment', 'work-schedule': 'schedule' });
  const { attribute } = catalogOf(1, { categories: [root, job], attributes: old }).effectiveAttributes(
    job.id,
  )[0]!;
  expect(attribute).toMatchObject({ id: 'employment-type', feeds: 'employment' });
});
test('[C1] a catalogue in which an attribute says which filter it feeds is taken as it is', () => {
  expect(feedsOf([...old, dictionary('kind-of-job', { feeds: 'employment' })])).toEqual({
    'kind-of-job': 'employment',
  });
});
test.each<[string, readonly Attribute[], readonly Category[]]>([
  ['no category offers the filter', old, [root, { ...job, filters: noOverride }]],
  ['the attribute is no filter', old.map((one) => ({ ...one, filterable: false })), [root, job]],
  ['the attribute is retired', old.map((one) => ({ ...one, retired: true })), [root, job]],
  ['the attribute is a flag', old.map((one) => ({ ...one, type: { kind: 'boolean' } })), [root, job]],
])('[C1] no filter is fed by default if %s', (_, attributes, categories) => {
  expect(feedsOf(attributes, categories)).toEqual({});
});

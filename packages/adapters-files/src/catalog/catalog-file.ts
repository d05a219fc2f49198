import { z } from 'zod';
import type {
  Attribute,
  AttributeId,
  AttributeUse,
  Category,
  CategoryId,
  ValueId,
} from '@doska/core/catalog';
import { FED_FILTERS, STANDARD_FILTERS } from '@doska/core/catalog';

/* What people write: short forms are allowed, everything that goes without saying is left out. */
const id = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'an id is of small letters, digits and hyphens');
const word = z.string().trim().min(1).max(200);
const synonyms = z
  .strictObject({ ru: z.array(word).default([]), en: z.array(word).default([]) })
  .prefault({});
const names = z.strictObject({ ru: word, en: word, synonyms });
const filters = z.array(z.enum(STANDARD_FILTERS)).default([]);

const value = z.strictObject({
  id,
  ru: word,
  en: word.optional(),
  synonyms,
  retired: z.boolean().default(false),
});
const common = {
  id,
  names,
  multiple: z.boolean().default(false),
  filterable: z.boolean().default(true),
  retired: z.boolean().default(false),
};
const attribute = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('dictionary'),
    ...common,
    values: z.array(value),
    feeds: z.enum(FED_FILTERS).optional(),
  }),
  z.strictObject({
    type: z.literal('number'),
    ...common,
    min: z.number().optional(),
    max: z.number().optional(),
    unit: word.optional(),
  }),
  z.strictObject({ type: z.literal('boolean'), ...common }),
  z.strictObject({
    type: z.literal('string'),
    ...common,
    lengthMax: z.int().min(1).max(10_000).default(200),
    filterable: z.boolean().default(false),
  }),
]);
const use = z.union([
  id.transform((attributeId) => ({ attribute: attributeId })),
  z.strictObject({
    attribute: id,
    required: z.boolean().optional(),
    multiple: z.boolean().optional(),
    filterable: z.boolean().optional(),
    values: z.array(id).optional(),
    min: z.number().optional(),
    max: z.number().optional(),
  }),
]);
const category = z.strictObject({
  id,
  names,
  parent: id.optional(),
  retired: z.boolean().default(false),
  attributes: z.array(use).default([]),
  filters: z.strictObject({ add: filters, remove: filters }).prefault({}),
});

/** One file of a catalogue; a catalogue is a folder of them. */
export const CatalogFile = z.strictObject({
  $schema: z.string().optional(),
  categories: z.array(category).default([]),
  attributes: z.array(attribute).default([]),
});
export type CatalogFile = z.infer<typeof CatalogFile>;

const typeOf = (written: CatalogFile['attributes'][number]): Attribute['type'] => {
  switch (written.type) {
    case 'dictionary':
      return {
        kind: 'dictionary',
        // Brand names are usually the same in both languages.
        values: written.values.map(({ id: valueId, ru, en, synonyms: more, retired }) => ({
          id: valueId as ValueId,
          names: { ru, en: en ?? ru, synonyms: more },
          retired,
        })),
      };
    case 'number':
      return { kind: 'number', range: { min: written.min, max: written.max }, unit: written.unit };
    case 'boolean':
      return { kind: 'boolean' };
    case 'string':
      return { kind: 'string', lengthMax: written.lengthMax };
  }
};
const defined = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, one]) => one !== undefined)) as T;

export const categoriesOf = ({ categories }: CatalogFile): readonly Category[] =>
  categories.map(({ id: categoryId, parent, names: called, attributes, filters: override, retired }) => ({
    id: categoryId as CategoryId,
    parent: parent as CategoryId | undefined,
    names: called,
    filters: override,
    retired,
    attributes: attributes.map((one) => defined(one) as AttributeUse),
  }));
export const attributesOf = ({ attributes }: CatalogFile): readonly Attribute[] =>
  attributes.map((written) => ({
    id: written.id as AttributeId,
    names: written.names,
    type: typeOf(written),
    multiple: written.multiple,
    filterable: written.filterable,
    retired: written.retired,
    ...(written.type === 'dictionary' && written.feeds !== undefined && { feeds: written.feeds }),
  }));

import type { Attribute, AttributeId, Catalog } from '../../catalog/index.ts';
import { isMultiple, type DeclaredPlans, type FieldSpec, type IndexSchema } from '../../vasgen/index.ts';

/** The name of an attribute's field. Names of other fields have no dot, so the two never meet. */
export const attributeField = (id: AttributeId | string): string => `attr.${id}`;

/** What every offer may have, besides its attributes. Moments are milliseconds since 1970. */
export const OFFER_FIELDS = {
  title: { kind: 'text', boost: 3 },
  description: { kind: 'text' },
  /** Names and synonyms of the categories above it and of its chosen values. */
  names: { kind: 'text', boost: 0.5 },
  section: { kind: 'enum', clusters: true },
  category: { kind: 'enum', clusters: true },
  /** In the currency that the platform compares prices in. */
  price: { kind: 'number' },
  point: { kind: 'geo' },
  geoId: { kind: 'enum' },
  district: { kind: 'enum' },
  metro: { kind: 'enum', multiple: true },
  withPhoto: { kind: 'boolean' },
  publishedAt: { kind: 'number' },
  updatedAt: { kind: 'number' },
  seller: { kind: 'string' },
  sellerType: { kind: 'enum' },
  ctr: { kind: 'number' },
} as const satisfies IndexSchema;

/** The kind of an attribute's field; undefined if it is not indexed as a field. */
export const attributeSpec = ({ type, multiple }: Attribute): FieldSpec | undefined => {
  switch (type.kind) {
    case 'dictionary':
      return multiple ? { kind: 'enum', multiple } : { kind: 'enum' };
    case 'number':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'string':
      return undefined;
  }
};

/** Whether values of the one fit a field of the other. */
export const isSameType = (a: FieldSpec, b: FieldSpec): boolean =>
  a.kind === b.kind && isMultiple(a) === isMultiple(b);
/** The wanted fields without those that the epoch has with another type: they need a new epoch. */
export const fittingFields = (present: IndexSchema, wanted: IndexSchema): IndexSchema =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, spec]) => !Object.hasOwn(present, name) || isSameType(present[name]!, spec),
    ),
  );

/** All fields that offers of this catalogue may have. Retired attributes stay: their documents are still there. */
export const offersSchema = (catalog: Catalog): IndexSchema => {
  const fields: [string, FieldSpec][] = Object.entries(OFFER_FIELDS);
  for (const attribute of catalog.content.attributes) {
    const spec = attribute.filterable ? attributeSpec(attribute) : undefined;
    if (spec) fields.push([attributeField(attribute.id), spec]);
  }
  return Object.fromEntries(fields);
};

export type Ranking = {
  /** How much a new offer gains, and after how long half of that is left. */
  readonly recencyWeight: number;
  readonly recencyHalfLifeMs: number;
  readonly ctrWeight: number;
};
/** The named query of the offers client: ranking, and the counts of all categories. */
export const OFFERS_PLAN = 'offers';
/** Categories are never cut: the filters of an answer are those that all of them share. */
const CATEGORIES_MAX = 100_000;
export const offersPlans = ({ recencyWeight, recencyHalfLifeMs, ctrWeight }: Ranking): DeclaredPlans => ({
  [OFFERS_PLAN]: {
    boosts: [
      { field: 'publishedAt', weight: recencyWeight, halfLifeMs: recencyHalfLifeMs },
      { field: 'ctr', weight: ctrWeight },
    ],
    counts: [{ field: 'category', limit: CATEGORIES_MAX }],
  },
});

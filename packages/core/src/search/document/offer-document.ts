import type { Attribute, Catalog, Names } from '../../catalog/index.ts';
import type { AttributeValue, OfferAttribute, OfferView } from '../../gost/index.ts';
import type { Codec } from '../../kernel/index.ts';
import {
  isMultiple,
  type FieldSpec,
  type IndexSchema,
  type RawDocument,
  type RawField,
} from '../../vasgen/index.ts';
import { cardOf, type OfferCard } from '../cards/offer-card.ts';
import { attributeField, attributeSpec, isSameType, OFFER_FIELDS } from './offer-fields.ts';
import { commonPrice, type Rates } from './price.ts';

/** The place of a document in its offer's history, in one epoch of the index. */
export type DocumentPlace = { readonly epoch: number; readonly composedAtMs: number };
export type DocumentNeeds = {
  readonly catalog: Catalog;
  /** The fields of the epoch. A value that does not fit them is left out. */
  readonly schema: IndexSchema;
  readonly rates: Rates;
  readonly ctr: number | undefined;
  readonly cards: Codec<OfferCard>;
};
/** What was left out of a document, by reason. */
export type LeftOut = {
  /** Attributes that the catalogue does not know, or has retired. */
  readonly attributes: number;
  /** Values of another type than the epoch has. */
  readonly misfits: number;
  /** Prices without a rate. */
  readonly prices: number;
};
export type ComposedDocument = { readonly document: RawDocument; readonly leftOut: LeftOut };

const NAMES_CHARS_MAX = 8_000;
const spellingsOf = ({ ru, en, synonyms }: Names): readonly string[] => [
  ru,
  en,
  ...synonyms.ru,
  ...synonyms.en,
];

/** The words by which people call the category and the chosen values. */
const namesOf = (view: OfferView, catalog: Catalog): string => {
  const words = new Set<string>();
  // The root is the name of everything, so it finds nothing.
  for (const category of catalog.path(view.category).slice(1))
    for (const word of spellingsOf(category.names)) words.add(word);
  for (const { attribute, values } of view.attributes) {
    const type = catalog.attribute(attribute)?.type;
    for (const value of values) {
      if (type?.kind === 'string' && typeof value === 'string') words.add(value);
      const known = type?.kind === 'dictionary' ? type.values.find(({ id }) => id === value) : undefined;
      if (known) for (const word of spellingsOf(known.names)) words.add(word);
    }
  }
  return [...words].join(' ').slice(0, NAMES_CHARS_MAX);
};

const isOfKind = (spec: FieldSpec, value: AttributeValue): boolean => {
  if (spec.kind === 'number') return typeof value === 'number';
  return spec.kind === 'boolean' ? typeof value === 'boolean' : typeof value === 'string';
};

type Fields = { readonly fields: RawField[]; attributes: number; misfits: number };
const addField = (
  into: Fields,
  schema: IndexSchema,
  name: string,
  spec: FieldSpec,
  value: RawField['value'],
): void => {
  const stored = Object.hasOwn(schema, name) ? schema[name] : undefined;
  if (stored && !isSameType(stored, spec)) into.misfits++;
  else into.fields.push({ name, kind: spec.kind as RawField['kind'], multiple: isMultiple(spec), value });
};

const addAttribute = (
  into: Fields,
  { attribute: id, values }: OfferAttribute,
  attribute: Attribute | undefined,
  schema: IndexSchema,
): void => {
  if (!attribute || attribute.retired) return void into.attributes++;
  const spec = attribute.filterable ? attributeSpec(attribute) : undefined;
  if (!spec || values.length === 0) return;
  const name = attributeField(id);
  if (!values.every((value) => isOfKind(spec, value))) return void into.misfits++;
  if (isMultiple(spec)) addField(into, schema, name, spec, values as readonly string[]);
  else if (values.length === 1) addField(into, schema, name, spec, values[0]);
  // The index has one number or flag in a field.
  else into.misfits++;
};

/** Not active: the document is deleted. It is made of the place alone, so it never fails. */
export const deletionOf = (
  id: string,
  version: number,
  { epoch, composedAtMs }: DocumentPlace,
  event: 'delete' | 'erase' = 'delete',
): RawDocument => ({
  pk: id,
  event,
  epoch,
  version,
  composedAtMs,
  fields: [],
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
});

/** A removed offer without any content was erased. */
export const isErased = ({ status, title, description }: OfferView): boolean =>
  status === 'removed' && title === '' && description === '';

/** The document of an active offer. It can't hold contacts: a view has none. */
export const documentOf = (view: OfferView, place: DocumentPlace, needs: DocumentNeeds): ComposedDocument => {
  const { catalog, schema, rates, ctr, cards } = needs;
  const into: Fields = { fields: [], attributes: 0, misfits: 0 };
  const add = <Name extends keyof typeof OFFER_FIELDS>(name: Name, value: RawField['value']): void => {
    if (value !== undefined && value !== '') addField(into, schema, name, OFFER_FIELDS[name], value);
  };
  const card = cardOf(view);
  const price = commonPrice(view.price, rates);
  const [, section] = catalog.path(view.category);
  const { point } = view.place;
  add('title', view.title);
  add('description', view.description);
  add('names', namesOf(view, catalog));
  add('section', section?.id);
  add('category', view.category);
  add('price', price);
  add('point', point && { lat: point.latitude, lon: point.longitude });
  add('geoId', view.geo?.geoId);
  add('district', view.geo?.district);
  if (view.geo && view.geo.metro.length > 0) add('metro', view.geo.metro);
  add('withPhoto', card.coverId !== undefined);
  add('publishedAt', card.publishedAtMs);
  add('updatedAt', Math.floor(view.updatedAtUs / 1_000));
  add('seller', view.seller);
  add('sellerType', view.sellerType);
  add('ctr', ctr);
  for (const one of view.attributes) addAttribute(into, one, catalog.attribute(one.attribute), schema);
  return {
    document: {
      pk: view.id,
      event: 'upsert',
      epoch: place.epoch,
      version: view.updatedAtUs,
      composedAtMs: place.composedAtMs,
      fields: into.fields,
      embeddings: [],
      expiresAtMs: view.expiresAtUs === undefined ? undefined : Math.ceil(view.expiresAtUs / 1_000),
      payload: cards.encode(card),
    },
    leftOut: {
      attributes: into.attributes,
      misfits: into.misfits,
      prices: view.price && price === undefined ? 1 : 0,
    },
  };
};

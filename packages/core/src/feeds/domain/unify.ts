import {
  catalogLookup,
  type Attribute,
  type Catalog,
  type CatalogLookup,
  type Category,
  type CategoryId,
} from '../../catalog/index.ts';
import {
  defaultOfferLimits,
  type AttributeValue,
  type FeedError,
  type OfferAttribute,
  type OfferContent,
  type Place,
} from '../../gost/index.ts';
import type { FeedDefaults } from './feed.ts';
import { currencyOf, parseMeasure, parseNumber, parsePrice, parseYesNo } from './numbers.ts';
import type { RawAttribute, RawOffer } from './raw-offer.ts';

/** What a run asks of the catalogue: one version, and its names. */
export type UnifyContext = {
  readonly catalog: Catalog;
  readonly lookup: CatalogLookup;
  readonly defaults: FeedDefaults;
  readonly errorsMax: number;
};
export const unifyContext = (catalog: Catalog, defaults: FeedDefaults, errorsMax: number): UnifyContext => ({
  catalog,
  lookup: catalogLookup(catalog),
  defaults,
  errorsMax,
});

/** The offer as the offer store wants it, and what was wrong with it. Its place is not located yet. */
export type Unified = { readonly content: OfferContent; readonly errors: readonly FeedError[] };

type Refuse = (code: string, path: string, message: string, value?: string) => void;
const CANDIDATES_MAX = 5;
/** Longer values are cut in errors. */
const SHOWN_CHARS_MAX = 200;
const PATH_SEPARATOR = /\s*[>/→|]\s*/;

const pathOf = (catalog: Catalog, { id }: Category): string =>
  catalog
    .path(id)
    .slice(1)
    .map(({ names }) => names.ru)
    .join(' > ');

/** By id, by path, or by a name that only one category has. */
const recogniseCategory = (
  text: string | undefined,
  { catalog, lookup }: UnifyContext,
  refuse: Refuse,
): CategoryId | undefined => {
  const path = 'offer/category';
  const said = text?.trim() ?? '';
  if (said === '') {
    refuse('category', path, 'the offer has no category');
    return undefined;
  }
  const byId = catalog.category(said as CategoryId);
  if (byId && !byId.retired) return byId.id;
  const steps = said.split(PATH_SEPARATOR).filter((step) => step !== '');
  const found = steps.length > 1 ? lookup.categoryByPath(steps) : lookup.categories(said);
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) {
    refuse('category', path, 'no category has this name or id', said);
    return undefined;
  }
  const candidates = found.slice(0, CANDIDATES_MAX).map((one) => `${pathOf(catalog, one)} (${one.id})`);
  refuse('category', path, `several categories have this name: ${candidates.join('; ')}`, said);
  return undefined;
};

const recogniseValue = (
  category: CategoryId,
  attribute: Attribute,
  text: string,
  { lookup }: UnifyContext,
): AttributeValue | undefined => {
  const { type } = attribute;
  switch (type.kind) {
    case 'boolean':
      return parseYesNo(text);
    case 'number':
      return parseMeasure(text, type.unit);
    case 'string':
      return text.trim();
    case 'dictionary':
      return (
        lookup.value(category, attribute, text)?.id ?? type.values.find(({ id }) => id === text.trim())?.id
      );
  }
};
const WANTED: Readonly<Record<Attribute['type']['kind'], string>> = {
  boolean: 'yes or no is expected',
  number: 'a number is expected',
  string: 'a text is expected',
  dictionary: 'the dictionary of this attribute has no such value',
};

const recogniseAttributes = (
  category: CategoryId,
  raw: readonly RawAttribute[],
  context: UnifyContext,
  refuse: Refuse,
): readonly OfferAttribute[] => {
  const found = new Map<Attribute['id'], AttributeValue[]>();
  const allowed = new Map(
    context.catalog.effectiveAttributes(category).map(({ attribute }) => [attribute.id as string, attribute]),
  );
  for (const { name, values, path } of raw) {
    const attribute = allowed.get(name.trim()) ?? context.lookup.attribute(category, name);
    if (!attribute) {
      refuse('attribute', path, 'this category has no such attribute', name);
      continue;
    }
    for (const text of values) {
      const value = recogniseValue(category, attribute, text, context);
      if (value === undefined) refuse('attribute', path, WANTED[attribute.type.kind], text);
      else found.set(attribute.id, [...(found.get(attribute.id) ?? []), value]);
    }
  }
  return [...found].map(([attribute, values]) => ({ attribute, values }));
};

const pointOf = ({ latitude, longitude }: RawOffer, refuse: Refuse): Place['point'] => {
  if (latitude === undefined && longitude === undefined) return undefined;
  const point = { latitude: parseNumber(latitude ?? ''), longitude: parseNumber(longitude ?? '') };
  if (point.latitude !== undefined && point.longitude !== undefined)
    return { latitude: point.latitude, longitude: point.longitude };
  refuse(
    'validation',
    'offer/place',
    'both coordinates must be numbers',
    `${latitude ?? ''} ${longitude ?? ''}`,
  );
  return undefined;
};
const priceOf = (
  { price, currency }: RawOffer,
  { defaults }: UnifyContext,
  refuse: Refuse,
): OfferContent['price'] => {
  if (price === undefined || price.trim() === '') return undefined;
  const parsed = parsePrice(price);
  if (!parsed) {
    refuse('validation', 'offer/price', 'a price is a number that is not negative', price);
    return undefined;
  }
  const named = currency === undefined || currency.trim() === '' ? parsed.currency : currencyOf(currency);
  return {
    minorUnits: parsed.minorUnits,
    currency: named ?? defaults.currency ?? defaultOfferLimits.currencies[0] ?? '',
  };
};
const clean = (text: string | undefined): string | undefined => {
  const cut = text?.trim();
  return cut === '' ? undefined : cut;
};

/** Interprets an offer by the catalogue. Whatever could be read is in the content, so that errors can show the title. */
export const unify = (raw: RawOffer, context: UnifyContext): Unified => {
  const errors: FeedError[] = raw.problems.map(({ level = 'error', value, ...problem }) => ({
    ...problem,
    level,
    value: value?.slice(0, SHOWN_CHARS_MAX),
  }));
  const refuse: Refuse = (code, path, message, value) =>
    void errors.push({
      level: 'error',
      code,
      path,
      message,
      value: value?.slice(0, SHOWN_CHARS_MAX),
      line: raw.line,
    });
  const category = recogniseCategory(raw.category, context, refuse);
  const { contacts, address } = context.defaults;
  const own = { name: clean(raw.contactName), phone: clean(raw.phone), email: clean(raw.email) };
  const reachable = own.phone !== undefined || own.email !== undefined;
  const point = pointOf(raw, refuse);
  const content: OfferContent = {
    category: category ?? ('' as CategoryId),
    title: raw.title?.trim() ?? '',
    description: raw.description?.trim() ?? '',
    price: priceOf(raw, context, refuse),
    photos: raw.photos.map((photo) => photo.trim()),
    place: { address: clean(raw.address) ?? (point ? undefined : address), point },
    contacts: {
      name: own.name ?? contacts.name,
      phone: reachable ? own.phone : contacts.phone,
      email: reachable ? own.email : contacts.email,
    },
    attributes: category ? recogniseAttributes(category, raw.attributes, context, refuse) : [],
  };
  return { content, errors: errors.slice(0, context.errorsMax) };
};

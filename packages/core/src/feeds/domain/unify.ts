import type { CategoryId } from '../../catalog/index.ts';
import { defaultOfferLimits, type FeedError, type OfferContent, type Place } from '../../gost/index.ts';
import { currencyOf, parseNumber, parsePrice } from './numbers.ts';
import type { RawOffer } from './raw-offer.ts';
import { recogniseAttributes, recogniseCategory, type Tell, type Telling } from './recognise-offer.ts';
import type { UnifyContext } from './unify-context.ts';

/** The offer as the offer store wants it, and what was wrong with it. Its place is not located yet. */
export type Unified = { readonly content: OfferContent; readonly errors: readonly FeedError[] };

/** Longer values are cut in errors. */
const SHOWN_CHARS_MAX = 200;

const pointOf = ({ latitude, longitude }: RawOffer, refuse: Tell): Place['point'] => {
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
  refuse: Tell,
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
  const warnings: FeedError[] = [];
  const tell =
    (level: FeedError['level'], to: FeedError[]): Tell =>
    (code, path, message, value) => {
      const shown = value === '' ? undefined : value?.slice(0, SHOWN_CHARS_MAX);
      to.push({ level, code, path, message, value: shown, line: raw.line });
    };
  const telling: Telling = { refuse: tell('error', errors), note: tell('warning', warnings) };
  const { refuse } = telling;
  const category = recogniseCategory(raw, context, telling);
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
    attributes: category ? recogniseAttributes(category, raw, context, telling) : [],
  };
  return { content, errors: [...errors, ...warnings].slice(0, context.errorsMax) };
};

import type { Catalog } from '../../catalog/index.ts';
import { textViolations, type Violation } from '../../kernel/index.ts';
import { PHOTO_URL_CHARS_MAX } from '../../photos/index.ts';
import { attributeViolations, draftAttributeViolations } from './attribute-rules.ts';
import { categoryIdViolations, photoUrlViolations, priceViolations } from './field-rules.ts';
import { contentBytes, roughBytes, type OfferContent, type OfferText } from './offer.ts';

/** Bounds of what a seller may say, as data: an operator changes them, not the code. */
export type OfferLimits = {
  readonly titleCharsMin: number;
  readonly titleCharsMax: number;
  readonly descriptionCharsMax: number;
  readonly priceMinorUnitsMax: number;
  readonly currencies: readonly string[];
  readonly photosMax: number;
  readonly urlCharsMax: number;
  readonly addressCharsMax: number;
  readonly contactCharsMax: number;
  readonly attributeValuesMax: number;
  readonly offerBytesMax: number;
};
export const defaultOfferLimits: OfferLimits = {
  titleCharsMin: 2,
  titleCharsMax: 120,
  descriptionCharsMax: 20_000,
  priceMinorUnitsMax: 1_000_000_000_000,
  currencies: ['RUB', 'USD', 'EUR', 'KZT', 'BYN'],
  photosMax: 30,
  urlCharsMax: PHOTO_URL_CHARS_MAX,
  addressCharsMax: 500,
  contactCharsMax: 200,
  attributeValuesMax: 100,
  offerBytesMax: 100 * 1024,
};

type Refuse = (path: string, code: string, message: string) => void;
/** A draft is a form that is half filled in: it may lack what an offer needs, but nothing in it is larger than in an offer. */
type Checking = {
  readonly limits: OfferLimits;
  readonly isDraft: boolean;
  readonly refuse: Refuse;
  readonly add: (violations: readonly Violation[]) => void;
};
const PHONE = /^\+?[0-9][0-9 ()-]{4,30}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

const checkText = ({ title, description }: OfferText, { limits, isDraft, add }: Checking): void => {
  const { titleCharsMin, titleCharsMax, descriptionCharsMax } = limits;
  const least = isDraft ? {} : { charsMin: titleCharsMin };
  add(textViolations('title', title, { ...least, charsMax: titleCharsMax }));
  add(textViolations('description', description, { charsMax: descriptionCharsMax, lines: true }));
};
const checkPrice = ({ price }: OfferText, { limits, isDraft, refuse, add }: Checking): void => {
  if (!price) return;
  const { minorUnits, currency } = price;
  add(priceViolations(minorUnits, limits.priceMinorUnitsMax));
  if (isDraft && currency === '') return;
  if (!limits.currencies.includes(currency))
    refuse('price.currency', 'UnknownValue', `one of ${limits.currencies.join(', ')}`);
};
const checkPhotos = ({ photos }: OfferText, { limits, isDraft, refuse, add }: Checking): void => {
  const { photosMax, urlCharsMax } = limits;
  if (photos.length > photosMax) refuse('photos', 'TooMany', `at most ${photosMax}`);
  photos.slice(0, photosMax).forEach((url, i) => {
    const path = `photos[${i}]`;
    add(
      isDraft
        ? textViolations(path, url, { charsMax: urlCharsMax })
        : photoUrlViolations(url, urlCharsMax, path),
    );
    if (!isDraft && photos.indexOf(url) < i) refuse(path, 'Duplicate', 'named before');
  });
};
const within = (value: number, bound: number): boolean => value >= -bound && value <= bound;
const checkPlace = ({ place }: OfferText, { limits, refuse, add }: Checking): void => {
  const { address = '', point } = place;
  add(textViolations('place.address', address, { charsMax: limits.addressCharsMax }));
  if (point && !within(point.latitude, 90)) refuse('place.latitude', 'OutOfRange', 'from -90 to 90');
  if (point && !within(point.longitude, 180)) refuse('place.longitude', 'OutOfRange', 'from -180 to 180');
};
const checkContacts = ({ contacts }: OfferText, { limits, isDraft, refuse, add }: Checking): void => {
  const { name = '', phone, email } = contacts;
  const bounds = { charsMax: limits.contactCharsMax };
  add(textViolations('contacts.name', name, bounds));
  if (isDraft) {
    add(textViolations('contacts.phone', phone ?? '', bounds));
    add(textViolations('contacts.email', email ?? '', bounds));
    return;
  }
  if (phone === undefined && email === undefined)
    refuse('contacts', 'Missing', 'a phone or an e-mail address');
  if (phone !== undefined && !PHONE.test(phone)) refuse('contacts.phone', 'Malformed', 'no phone number');
  const isEmail = EMAIL.test(email ?? '') && textViolations('', email ?? '', bounds).length === 0;
  if (email !== undefined && !isEmail) refuse('contacts.email', 'Malformed', 'no e-mail address');
};
const checkSize = (content: OfferText, { limits, isDraft, refuse }: Checking): void => {
  // A letter takes three bytes at most, and is counted as two: mostly there is nothing to measure.
  const bytes = 1.5 * roughBytes(content) > limits.offerBytesMax ? contentBytes(content) : 0;
  if (bytes > limits.offerBytesMax)
    refuse(isDraft ? 'draft' : 'offer', 'TooLarge', `${bytes} bytes, at most ${limits.offerBytesMax}`);
};
const CHECKS = [checkText, checkPrice, checkPhotos, checkPlace, checkContacts, checkSize];
const fieldViolations = (content: OfferText, limits: OfferLimits, isDraft: boolean): Violation[] => {
  const found: Violation[] = [];
  const refuse: Refuse = (path, code, message) => void found.push({ path, code, message });
  const add = (violations: readonly Violation[]): void => {
    if (violations.length > 0) found.push(...violations);
  };
  for (const check of CHECKS) check(content, { limits, isDraft, refuse, add });
  return found;
};

/** What a draft may not hold: texts, numbers and lists beyond the limits of an offer. Nothing is required of it. */
export const draftViolations = (
  { category, content }: { readonly category: string | undefined; readonly content: OfferText },
  limits: OfferLimits = defaultOfferLimits,
): readonly Violation[] => [
  ...(category ? categoryIdViolations(category) : []),
  ...fieldViolations(content, limits, true),
  ...draftAttributeViolations(content, limits.attributeValuesMax),
];

/** All that is wrong with an offer, by its fields and by its category; empty when it may be published. */
export const violationsOf = (
  content: OfferContent,
  catalog: Catalog,
  limits: OfferLimits = defaultOfferLimits,
): readonly Violation[] => [
  ...fieldViolations(content, limits, false),
  ...attributeViolations(content, catalog, limits.attributeValuesMax),
];

import type { Catalog } from '../../catalog/index.ts';
import type { Violation } from '../../kernel/index.ts';
import { attributeViolations } from './attribute-rules.ts';
import { contentBytes, roughBytes, type OfferContent } from './offer.ts';

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
  urlCharsMax: 2_000,
  addressCharsMax: 500,
  contactCharsMax: 200,
  attributeValuesMax: 100,
  offerBytesMax: 100 * 1024,
};

type Refuse = (path: string, code: string, message: string) => void;
/** People count symbols, not code units, of which a symbol takes one or two: mostly there is nothing to count. */
const isLonger = (text: string, charsMax: number): boolean =>
  text.length > charsMax && (text.length > 2 * charsMax || [...text].length > charsMax);
const PHONE = /^\+?[0-9][0-9 ()-]{4,30}$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const URL_SHAPE = /^https?:\/\/[^\s/]+\S*$/;

const checkText = ({ title, description }: OfferContent, limits: OfferLimits, refuse: Refuse): void => {
  const [short, long] = [limits.titleCharsMin, limits.titleCharsMax];
  if (!isLonger(title.trim(), short - 1)) refuse('title', 'TooShort', `at least ${short} characters`);
  if (isLonger(title, long)) refuse('title', 'TooLong', `at most ${long} characters`);
  if (isLonger(description, limits.descriptionCharsMax))
    refuse('description', 'TooLong', `at most ${limits.descriptionCharsMax} characters`);
};
const checkPrice = ({ price }: OfferContent, limits: OfferLimits, refuse: Refuse): void => {
  if (!price) return;
  const { minorUnits, currency } = price;
  if (!Number.isSafeInteger(minorUnits) || minorUnits < 0 || minorUnits > limits.priceMinorUnitsMax)
    refuse('price.minor_units', 'OutOfRange', `a whole number from 0 to ${limits.priceMinorUnitsMax}`);
  if (!limits.currencies.includes(currency))
    refuse('price.currency', 'UnknownValue', `one of ${limits.currencies.join(', ')}`);
};
const checkPhotos = ({ photos }: OfferContent, limits: OfferLimits, refuse: Refuse): void => {
  if (photos.length > limits.photosMax) refuse('photos', 'TooMany', `at most ${limits.photosMax}`);
  photos.forEach((url, i) => {
    if (url.length > limits.urlCharsMax || !URL_SHAPE.test(url))
      refuse(`photos[${i}]`, 'Malformed', `an http address of at most ${limits.urlCharsMax} characters`);
    if (photos.indexOf(url) < i) refuse(`photos[${i}]`, 'Duplicate', 'named before');
  });
};
const within = (value: number, bound: number): boolean => value >= -bound && value <= bound;
const checkPlace = ({ place }: OfferContent, limits: OfferLimits, refuse: Refuse): void => {
  const { address, point } = place;
  if (address !== undefined && isLonger(address, limits.addressCharsMax))
    refuse('place.address', 'TooLong', `at most ${limits.addressCharsMax} characters`);
  if (point && !within(point.latitude, 90)) refuse('place.latitude', 'OutOfRange', 'from -90 to 90');
  if (point && !within(point.longitude, 180)) refuse('place.longitude', 'OutOfRange', 'from -180 to 180');
};
const checkContacts = ({ contacts }: OfferContent, limits: OfferLimits, refuse: Refuse): void => {
  const { name, phone, email } = contacts;
  if (phone === undefined && email === undefined)
    refuse('contacts', 'Missing', 'a phone or an e-mail address');
  if (phone !== undefined && !PHONE.test(phone)) refuse('contacts.phone', 'Malformed', 'no phone number');
  if (email !== undefined && (email.length > limits.contactCharsMax || !EMAIL.test(email)))
    refuse('contacts.email', 'Malformed', 'no e-mail address');
  if (name !== undefined && isLonger(name, limits.contactCharsMax))
    refuse('contacts.name', 'TooLong', `at most ${limits.contactCharsMax} characters`);
};

/** All that is wrong with an offer, by its fields and by its category; empty when it may be published. */
export const violationsOf = (
  content: OfferContent,
  catalog: Catalog,
  limits: OfferLimits = defaultOfferLimits,
): readonly Violation[] => {
  const found: Violation[] = [];
  const refuse: Refuse = (path, code, message) => void found.push({ path, code, message });
  for (const check of [checkText, checkPrice, checkPhotos, checkPlace, checkContacts])
    check(content, limits, refuse);
  // A letter takes three bytes at most, and is counted as two: mostly there is nothing to measure.
  const bytes = 1.5 * roughBytes(content) > limits.offerBytesMax ? contentBytes(content) : 0;
  if (bytes > limits.offerBytesMax)
    refuse('offer', 'TooLarge', `${bytes} bytes, at most ${limits.offerBytesMax}`);
  return [...found, ...attributeViolations(content, catalog, limits.attributeValuesMax)];
};

import { createHash } from 'node:crypto';
import { emptyRawOffer, type RawOffer, type RawProblem, type ReadLimits } from '@doska/core/feeds';
import { FileProblem } from '../broken.ts';
import type { OfferParser } from '../xml/xml-offers.ts';
import { offerProblems } from './parsed-schemas.ts';

/** One offer of a crawler has at most so many characters. */
const OFFER_CHARS_MAX = 1 << 20;

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
const recordIn = (value: unknown): Json => (isRecord(value) ? value : {});
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** An offer of our JSON. Without an id the hash of its content names it. */
export const rawOfferOf = (
  offer: Json,
  profile: Json,
  place: { ordinal: number; line: number },
  problems: readonly RawProblem[] = [],
): RawOffer => {
  const at = recordIn(offer['place']);
  const contacts = { ...recordIn(profile['contacts']), ...recordIn(offer['contacts']) };
  const hash = (): string => createHash('sha256').update(JSON.stringify(offer)).digest('hex').slice(0, 32);
  return {
    ...emptyRawOffer,
    ...place,
    problems,
    id: textIn(offer['id']) ?? hash(),
    title: textIn(offer['title']),
    description: textIn(offer['description']),
    category: textIn(offer['category']),
    price: textIn(offer['price']),
    currency: textIn(offer['currency']),
    photos: listIn(offer['photos']).flatMap((photo) => textIn(photo) ?? []),
    address: textIn(at['address']) ?? textIn(recordIn(profile['place'])['address']),
    latitude: textIn(at['latitude']),
    longitude: textIn(at['longitude']),
    contactName: textIn(contacts['name']),
    phone: textIn(contacts['phone']),
    email: textIn(contacts['email']),
    attributes: Object.entries(recordIn(offer['attributes'])).map(([name, value]) => ({
      name,
      values: (Array.isArray(value) ? value : [value]).flatMap((one) => textIn(one) ?? []),
      path: `attributes.${name}`,
    })),
  };
};

/**
 * Reads `{"profile": {…}, "offers": [{…}, …]}`, in this order. Only one offer is in memory at a time. Offers are checked by
 * the schema of the source that was crawled.
 */
export const jsonOfferParser = (limits: ReadLimits, source?: string): OfferParser => {
  const problemsOf = offerProblems(source);
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let item = '';
  let collects = false;
  let inOffers = false;
  let head = '';
  let profile: Json = {};
  let ordinal = 0;
  let line = 1;
  let itemLine = 1;
  let hasEnded = false;
  const broken = (code: string, message: string): never => {
    throw new FileProblem(code, message, { line });
  };
  const parse = (text: string, from: number): Json => {
    try {
      const value: unknown = JSON.parse(text);
      return isRecord(value) ? value : broken('json', 'an object is expected');
    } catch (cause) {
      if (cause instanceof FileProblem) throw cause;
      throw new FileProblem('json', `this is not valid JSON: ${(cause as Error).message.slice(0, 100)}`, {
        line: from,
      });
    }
  };
  return {
    write: (text) => {
      const offers: RawOffer[] = [];
      for (const letter of text) {
        if (letter === '\n') line += 1;
        if (hasEnded) {
          if (letter.trim() !== '') broken('json', 'there must be nothing behind the end');
          continue;
        }
        if (collects) item += letter;
        else if (!inOffers) head += letter;
        if (item.length > OFFER_CHARS_MAX || head.length > OFFER_CHARS_MAX)
          broken('TooLong', `an offer has at most ${OFFER_CHARS_MAX} characters`);
        if (inText) {
          if (isEscaped) isEscaped = false;
          else if (letter === '\\') isEscaped = true;
          else if (letter === '"') inText = false;
          continue;
        }
        if (letter === '"') inText = true;
        else if (letter === '{' || letter === '[') {
          depth += 1;
          if (depth > limits.depthMax) broken('TooDeep', `at most ${limits.depthMax} levels`);
          if (!inOffers && depth === 2 && letter === '[' && /"offers"\s*:\s*\[$/.test(head)) {
            inOffers = true;
            const before = head.replace(/,?\s*"offers"\s*:\s*\[$/, '');
            profile = recordIn(parse(`${before}}`, 1)['profile']);
          } else if (inOffers && depth === 3 && letter === '{') {
            collects = true;
            item = letter;
            itemLine = line;
          }
        } else if (letter === '}' || letter === ']') {
          depth -= 1;
          if (collects && depth === 2) {
            if (ordinal >= limits.offersMax) broken('TooMany', `at most ${limits.offersMax} offers`);
            const offer = parse(item, itemLine);
            const place = { ordinal, line: itemLine };
            offers.push(rawOfferOf(offer, profile, place, problemsOf(offer, itemLine)));
            ordinal += 1;
            collects = false;
            item = '';
          }
          if (depth === 0) hasEnded = true;
        } else if (inOffers && !collects && depth === 2 && letter !== ',' && letter.trim() !== '')
          broken('json', 'offers must be objects');
      }
      return { offers, warnings: [] };
    },
    close: () => {
      if (!inOffers) broken('json', 'the file has no list of offers');
      if (!hasEnded) broken('json', 'the file is cut off');
    },
  };
};

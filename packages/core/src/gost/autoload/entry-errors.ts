import type { Violation } from '../../kernel/index.ts';
import type { OfferContent } from '../offer/offer.ts';
import type { FeedError } from './feed.ts';
import type { FeedEntry } from './feed-message.ts';

/** More of a value, or of a title, is not repeated in an answer. */
export const SHOWN_CHARS_MAX = 200;
/** Cut between characters, so that the answer stays valid text. */
export const shown = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX
    ? text
    : [...text.slice(0, SHOWN_CHARS_MAX * 2)].slice(0, SHOWN_CHARS_MAX).join('');

const ATTRIBUTE = /^attributes\[(\d+)\](?:\.values\[(\d+)\])?$/;
const STEP = /[^.[\]]+/g;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? shown(String(value))
    : undefined;
/** Fields of the wire that the content has elsewhere. */
const PLACES: Readonly<Record<string, string>> = {
  'place.latitude': 'place.point.latitude',
  'place.longitude': 'place.point.longitude',
  price: 'price.minorUnits',
};
const valueAt = (content: OfferContent, path: string): string | undefined => {
  const steps = (PLACES[path] ?? path).match(STEP) ?? [];
  return textOf(
    steps.reduce<unknown>(
      (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
      content,
    ),
  );
};

/** A violation in the words of the seller: attributes have their id, not their place in a list, and the value is shown. */
export const entryError = (entry: FeedEntry, { code, path, message }: Violation): FeedError => {
  const common = { level: 'error', code, message, line: entry.line } as const;
  const { content } = entry;
  const [, place, which] = ATTRIBUTE.exec(path) ?? [];
  if (!content || place === undefined)
    return { ...common, path, value: content && path !== '' ? valueAt(content, path) : undefined };
  const { attribute, values = [] } = content.attributes[Number(place)] ?? {};
  const value = which === undefined ? undefined : textOf(values[Number(which)]);
  return { ...common, path: attribute ? `attributes.${shown(attribute)}` : path, value };
};

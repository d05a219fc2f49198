import type { OfferError } from './load.ts';

const BY_CODE: Readonly<Record<string, string>> = {
  category:
    'Use the id of a category, its full path (Transport > Cars), or a name that only one category has.',
  attribute: 'Use a name and a value from the catalogue of this category.',
  recognised: 'Check that this is meant. To be certain, use ids or names of the catalogue.',
  geocoding: 'Write the address as country, city, street and house, or give coordinates.',
  transient: 'Nothing to do: the load is processed again by itself.',
  duplicate: 'Give every offer an id of its own.',
  ban: 'Read the reasons of the ban and correct the offer.',
  Missing: 'Add this field. Contacts, place and currency can also be set once for the whole feed.',
  TooLong: 'Shorten the text.',
  TooShort: 'Write a longer text.',
  UnknownValue: 'Use one of the values that the message names.',
  UnknownAttribute: 'Remove the attribute or choose another category.',
  OutOfRange: 'Use a number within the bounds that the message names.',
  WrongType: 'Write the value in the form that the message names.',
  Malformed: 'Correct the form of the value.',
  TooMany: 'Leave out what is beyond the limit.',
};
/** What a seller can do about an error. */
export const suggestedFix = ({ code, path }: Pick<OfferError, 'code' | 'path'>): string =>
  BY_CODE[code] ?? `Correct ${path === '' ? 'the offer' : path} as the message says.`;

import {
  fold,
  spellings,
  type Attribute,
  type Catalog,
  type Category,
  type Names,
} from '../../catalog/index.ts';
import type { OfferError } from './load.ts';
import { nearestNames, type Named } from './nearest-names.ts';

/** Errors of one code and field, and the values that they are about, the most frequent first. */
export type ErrorGroup = Pick<OfferError, 'code' | 'path'> & { readonly values: readonly string[] };

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
const CATEGORY_CODES = new Set(['category', 'UnknownValue']);
const ATTRIBUTE_CODES = new Set(['attribute', 'UnknownValue', 'UnknownAttribute', 'WrongType', 'Missing']);
/** The field of an attribute in a file of the seller, and in a path of the offer store. */
const ATTRIBUTE_PATHS = [/attribute\[@name="([^"]*)"\]$/, /^attributes\.(.+)$/];
const NEAREST_MAX = 3;
const LISTED_MAX = 8;

const namedBy = <Thing extends { readonly names: Names }>(things: readonly Thing[]): Named<Thing>[] =>
  things.map((thing) => ({ thing, spellings: spellings(thing.names) }));
const shown = ({ names, id }: { readonly names: Names; readonly id: string }): string =>
  `${names.ru} (${id})`;
const listed = (things: readonly { readonly names: Names; readonly id: string }[]): string =>
  things.map(shown).join(', ');

/** The nearest things to each value. Values without any are left out. */
const nearestTo = <Thing extends { readonly names: Names; readonly id: string }>(
  values: readonly string[],
  things: readonly Thing[],
): readonly string[] => {
  const named = namedBy(things);
  return values.flatMap((value) => {
    const found = nearestNames(value, named, NEAREST_MAX);
    return found.length === 0 ? [] : [`«${value}» is like ${listed(found)}.`];
  });
};

const forCategory = (values: readonly string[], { content }: Catalog): readonly string[] => {
  const live: readonly Category[] = content.categories.filter(
    ({ retired, parent }) => !retired && parent !== undefined,
  );
  // The last step of a path says most.
  return nearestTo(
    values.map((value) => value.split(/\s*[>/→|]\s*/).at(-1) ?? value),
    live,
  );
};
const forValues = ({ type, names }: Attribute, values: readonly string[]): readonly string[] => {
  switch (type.kind) {
    case 'number':
      return [
        type.unit === undefined ? 'Write a number.' : `Write a number, alone or with the unit ${type.unit}.`,
      ];
    case 'boolean':
      return ['Write да or нет (yes or no).'];
    case 'string':
      return [`Write a text of at most ${type.lengthMax} characters.`];
    case 'dictionary': {
      const live = type.values.filter(({ retired }) => !retired);
      const nearest = nearestTo(values, live);
      if (nearest.length > 0) return nearest;
      const rest = live.length - LISTED_MAX;
      return [
        `Values of ${names.ru}: ${listed(live.slice(0, LISTED_MAX))}${rest > 0 ? ` and ${rest} more` : ''}.`,
      ];
    }
  }
};
const forAttribute = (
  { code, values }: ErrorGroup,
  name: string,
  { content }: Catalog,
): readonly string[] => {
  const live = content.attributes.filter(({ retired }) => !retired);
  const folded = fold(name);
  const meant = live.find((one) => one.id === name || spellings(one.names).has(folded));
  // The name itself was not found in the category of the offers.
  const isName =
    code === 'UnknownAttribute' || (code === 'attribute' && values.every((one) => fold(one) === folded));
  if (isName && values.length > 0)
    return meant
      ? [`${shown(meant)} belongs to other categories: check the category of these offers.`]
      : nearestTo([name], live);
  if (!meant) return nearestTo([name], live);
  if (code === 'Missing') return [`Add the attribute ${shown(meant)}.`, ...forValues(meant, [])];
  return forValues(meant, values);
};

/** What a seller can do about errors of one code and field. Names of the catalogue are suggested if it is known. */
export const suggestedFix = (group: ErrorGroup, catalog: Catalog | undefined): string => {
  const { code, path, values } = group;
  const general = BY_CODE[code] ?? `Correct ${path === '' ? 'the offer' : path} as the message says.`;
  if (!catalog) return general;
  const attribute = ATTRIBUTE_PATHS.map((pattern) => pattern.exec(path)?.[1]).find(
    (name) => name !== undefined,
  );
  if (attribute !== undefined && ATTRIBUTE_CODES.has(code)) {
    const found = forAttribute(group, attribute, catalog);
    return code === 'Missing' && found.length > 0 ? found.join(' ') : [general, ...found].join(' ');
  }
  const isCategory = CATEGORY_CODES.has(code) && /(^|\/)category$/.test(path);
  return isCategory ? [general, ...forCategory(values, catalog)].join(' ') : general;
};

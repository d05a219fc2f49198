import type { Attribute, Catalog, CategoryId } from '../../catalog/index.ts';
import type { AttributeValue, OfferAttribute } from '../../gost/index.ts';
import { guessCategory, type Candidate } from '../recognition/recognise-category.ts';
import { attributeLike, valueLike, valuesInTitle, type FoundValue } from '../recognition/recognise-values.ts';
import { parseMeasure, parseYesNo } from './numbers.ts';
import type { RawOffer } from './raw-offer.ts';
import type { UnifyContext } from './unify-context.ts';

export type Tell = (code: string, path: string, message: string, value?: string) => void;
/** `refuse` tells an error, `note` a warning: what was recognised and not said by the seller in these words. */
export type Telling = { readonly refuse: Tell; readonly note: Tell };
const CANDIDATES_MAX = 5;
/** More of a text is not looked at when a name, a value or a category is recognised in it. */
const LOOKED_AT_CHARS = 1_000;
const looked = (text: string | undefined): string => (text ?? '').trim().slice(0, LOOKED_AT_CHARS);
const PATH_SEPARATOR = /\s*[>/→|]\s*/;
const CATEGORY_PATH = 'offer/category';

const pathOf = (catalog: Catalog, id: CategoryId): string =>
  catalog
    .path(id)
    .slice(1)
    .map(({ names }) => names.ru)
    .join(' > ');
const inPercent = (sureness: number): string => `${Math.round(sureness * 100)} %`;
const listed = (catalog: Catalog, candidates: readonly CategoryId[]): string =>
  candidates
    .slice(0, CANDIDATES_MAX)
    .map((id) => `${pathOf(catalog, id)} (${id})`)
    .join('; ');

/** By id, by path, or by a name that only one category has; else by the words of the category and the title. */
export const recogniseCategory = (
  { category, title }: RawOffer,
  { catalog, lookup, index, surenessMin }: UnifyContext,
  { refuse, note }: Telling,
): CategoryId | undefined => {
  const said = looked(category);
  const byId = catalog.category(said as CategoryId);
  if (byId && !byId.retired) return byId.id;
  const steps = said.split(PATH_SEPARATOR).filter((step) => step !== '');
  const found = steps.length > 1 ? lookup.categoryByPath(steps) : said === '' ? [] : lookup.categories(said);
  if (found.length === 1) return found[0]!.id;
  const among = found.map(({ id }) => id);
  // The last step says most.
  const words = { category: [...steps].reverse().join(' '), title: looked(title) };
  const guess = guessCategory(index, words, { surenessMin, ...(among.length > 0 ? { among } : {}) });
  if (guess.kind === 'sure') {
    const { category: id, sureness } = guess;
    note(
      'recognised',
      CATEGORY_PATH,
      `taken as ${pathOf(catalog, id)} (${id}), ${inPercent(sureness)} sure`,
      said,
    );
    return id;
  }
  const rivals: readonly Candidate[] = guess.kind === 'ambiguous' ? guess.candidates : [];
  const candidates = among.length > 0 ? among : rivals.map((one) => one.category);
  const why =
    said === ''
      ? 'the offer has no category'
      : among.length > 0
        ? 'several categories have this name'
        : 'no category has this name or id';
  const meaning = among.length > 0 ? ': ' : '; its words fit ';
  const hint = candidates.length === 0 ? '' : `${meaning}${listed(catalog, candidates)}`;
  refuse('category', CATEGORY_PATH, `${why}${hint}`, said === '' ? undefined : said);
  return undefined;
};

const recogniseValue = (
  category: CategoryId,
  attribute: Attribute,
  whole: string,
  { lookup, index }: UnifyContext,
  onTypo: (meant: string) => void,
): AttributeValue | undefined => {
  const { type } = attribute;
  const text = looked(whole);
  switch (type.kind) {
    case 'boolean':
      return parseYesNo(text);
    case 'number':
      return parseMeasure(whole, type.unit);
    case 'string':
      return whole.trim();
    case 'dictionary': {
      const exact =
        lookup.value(category, attribute, text)?.id ?? type.values.find(({ id }) => id === text)?.id;
      if (exact !== undefined) return exact;
      const like = valueLike(index, category, attribute, text);
      if (like?.isTypo) onTypo(like.thing.names.ru);
      return like?.thing.id;
    }
  }
};
const WANTED: Readonly<Record<Attribute['type']['kind'], string>> = {
  boolean: 'yes or no is expected',
  number: 'a number is expected',
  string: 'a text is expected',
  dictionary: 'the dictionary of this attribute has no such value',
};

const shownValue = ({ type }: Attribute, value: AttributeValue): string => {
  if (type.kind === 'dictionary')
    return type.values.find(({ id }) => id === value)?.names.ru ?? String(value);
  return type.kind === 'boolean' ? (value === true ? 'да' : 'нет') : String(value);
};
const shownFound = (found: readonly FoundValue[]): string =>
  found
    .map(({ attribute, values }) => {
      const shown = values.map((value) => shownValue(attribute, value)).join(', ');
      return `${attribute.names.ru}: ${shown}`;
    })
    .join('; ');

/** Attributes that the offer says, and values of its title where it says nothing. */
export const recogniseAttributes = (
  category: CategoryId,
  { attributes: raw, title: whole }: RawOffer,
  context: UnifyContext,
  { refuse, note }: Telling,
): readonly OfferAttribute[] => {
  const { catalog, lookup, index } = context;
  const title = looked(whole);
  const found = new Map<Attribute['id'], AttributeValue[]>();
  const said = new Set<Attribute['id']>();
  const allowed = new Map(
    catalog.effectiveAttributes(category).map(({ attribute }) => [attribute.id as string, attribute]),
  );
  for (const { name: given, values, path } of raw) {
    const name = looked(given);
    const exact = allowed.get(name) ?? lookup.attribute(category, name);
    const like = exact ? undefined : attributeLike(index, category, name);
    const attribute = exact ?? like?.thing;
    if (!attribute) {
      refuse('attribute', path, 'this category has no such attribute', name);
      continue;
    }
    if (like?.isTypo) note('recognised', path, `taken as the attribute ${attribute.names.ru}`, name);
    said.add(attribute.id);
    for (const text of values) {
      const value = recogniseValue(category, attribute, text, context, (meant) =>
        note('recognised', path, `taken as ${meant}`, text),
      );
      if (value === undefined) refuse('attribute', path, WANTED[attribute.type.kind], text);
      else found.set(attribute.id, [...(found.get(attribute.id) ?? []), value]);
    }
  }
  const inTitle = valuesInTitle(index, category, title, said);
  if (inTitle.length > 0)
    note('recognised', 'offer/title', `found in the title: ${shownFound(inTitle)}`, title);
  for (const { attribute, values } of inTitle) found.set(attribute.id, [...values]);
  return [...found].map(([attribute, values]) => ({ attribute, values }));
};

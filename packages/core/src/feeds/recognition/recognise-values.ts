import {
  fold,
  spellings,
  type Attribute,
  type AttributeId,
  type CategoryId,
  type DictionaryValue,
  type EffectiveAttribute,
} from '../../catalog/index.ts';
import type { AttributeValue } from '../../gost/index.ts';
import { WordIndex } from '../../search/index.ts';
import { isSameUnit, parseMeasure } from '../domain/numbers.ts';
import { longestMatches } from './phrases.ts';
import { isWeakPhrase, type RecognitionIndex } from './recognition-index.ts';
import { tokensOf, termsOf, type Token } from './tokens.ts';

export type FoundValue = {
  readonly attribute: Attribute;
  readonly values: readonly AttributeValue[];
};

const digitsOf = (text: string): string => text.replace(/\D+/g, ' ').trim();
const mistakesMax = (length: number): number => (length < 5 ? 0 : length < 9 ? 1 : 2);
/** The one of these that a name means: by its stems, or with a typing mistake or two. Digits are never mistaken. */
const nearestName = <Thing>(
  index: RecognitionIndex,
  name: string,
  things: readonly { readonly thing: Thing; readonly spelling: string }[],
): { readonly thing: Thing; readonly isTypo: boolean } | undefined => {
  const wanted = termsOf(index.analyzer, name).join(' ');
  if (wanted === '') return undefined;
  const same = new Set(
    things
      .filter(({ spelling }) => termsOf(index.analyzer, spelling).join(' ') === wanted)
      .map(({ thing }) => thing),
  );
  if (same.size > 0) return same.size === 1 ? { thing: [...same][0]!, isTypo: false } : undefined;
  const folded = fold(name);
  const words = things
    .filter(({ spelling }) => digitsOf(spelling) === digitsOf(folded))
    .map(({ spelling }) => ({ word: spelling, documents: 1 }));
  const near = WordIndex.of(words).nearest(folded, mistakesMax(folded.length));
  const meant = new Set(things.filter(({ spelling }) => spelling === near?.word).map(({ thing }) => thing));
  return meant.size === 1 ? { thing: [...meant][0]!, isTypo: true } : undefined;
};

/** An attribute by an inflected or misspelled name. */
export const attributeLike = (
  index: RecognitionIndex,
  category: CategoryId,
  name: string,
): { readonly thing: Attribute; readonly isTypo: boolean } | undefined =>
  nearestName(
    index,
    name,
    [...index.attributesOf(category).values()].flatMap(({ attribute }) =>
      [...spellings(attribute.names)].map((spelling) => ({ thing: attribute, spelling })),
    ),
  );

const liveValues = ({ attribute: { type }, values }: EffectiveAttribute): readonly DictionaryValue[] =>
  type.kind === 'dictionary' ? type.values.filter(({ id, retired }) => !retired && values.includes(id)) : [];
/** A value of a dictionary by an inflected or misspelled name, or by the only number in its name. */
export const valueLike = (
  index: RecognitionIndex,
  category: CategoryId,
  attribute: Attribute,
  text: string,
): { readonly thing: DictionaryValue; readonly isTypo: boolean } | undefined => {
  const effective = index.attributesOf(category).get(attribute.id);
  if (!effective) return undefined;
  const values = liveValues(effective);
  const number = /^\s*(\d+)\s*$/.exec(text)?.[1];
  if (number !== undefined) {
    const having = values.filter(({ names }) => digitsOf(names.ru) === number);
    return having.length === 1 ? { thing: having[0]!, isTypo: false } : undefined;
  }
  return nearestName(
    index,
    text,
    values.flatMap((value) => [...spellings(value.names)].map((spelling) => ({ thing: value, spelling }))),
  );
};

const isAfterName = (index: RecognitionIndex, attribute: Attribute, before: Token | undefined): boolean =>
  before !== undefined &&
  [...spellings(attribute.names)].some((name) => termsOf(index.analyzer, name).at(-1) === before.term);
/** The only attribute that may be meant, or the only one of them that must be given. */
const theOne = <Thing extends { readonly required: boolean }>(
  things: readonly Thing[],
): Thing | undefined => {
  if (things.length === 1) return things[0];
  const required = things.filter((thing) => thing.required);
  return required.length === 1 ? required[0] : undefined;
};

const dictionaryValues = (
  index: RecognitionIndex,
  tokens: readonly Token[],
  free: ReadonlyMap<AttributeId, EffectiveAttribute>,
): readonly FoundValue[] => {
  const found = new Map<AttributeId, Set<AttributeValue>>();
  const matches = longestMatches(index.values, tokens, ({ attribute, value }) =>
    Boolean(free.get(attribute.id)?.values.includes(value.id)),
  );
  for (const { from, to, meanings } of matches) {
    const first = tokens[from]!;
    if (first.isOther || first.isNegated) continue;
    const isWeak = isWeakPhrase(tokens.slice(from, to).map(({ term }) => term));
    const meant = meanings.filter(
      ({ attribute }) => !isWeak || isAfterName(index, attribute, tokens[from - 1]),
    );
    const one = theOne([...new Set(meant.map(({ attribute }) => free.get(attribute.id)!))]);
    if (!one) continue;
    const known = found.get(one.attribute.id) ?? new Set();
    for (const { attribute, value } of meant) if (attribute.id === one.attribute.id) known.add(value.id);
    found.set(one.attribute.id, known);
  }
  return [...found].flatMap(([id, values]) => {
    const { attribute, multiple } = free.get(id)!;
    return values.size === 1 || multiple ? [{ attribute, values: [...values] }] : [];
  });
};

const booleans = (
  index: RecognitionIndex,
  tokens: readonly Token[],
  free: ReadonlyMap<AttributeId, EffectiveAttribute>,
): readonly FoundValue[] =>
  longestMatches(
    index.attributeNames,
    tokens,
    ({ id, type }) => type.kind === 'boolean' && free.has(id),
  ).flatMap(({ from, meanings }) => {
    const [attribute] = meanings;
    return meanings.length === 1 && !tokens[from]!.isOther
      ? [{ attribute: attribute!, values: [!tokens[from]!.isNegated] }]
      : [];
  });

const MEASURE =
  /(?<![\p{L}\d/.,x×*–-])(\d{1,3}(?:[ \u00a0]\d{3})+|\d+(?:[.,]\d+)?)(?![\d/x×*–-])[ \u00a0]*([\p{L}²″"%₽][\p{L}².″"]*)?/gu;
type Measure = { readonly text: string; readonly number: string; readonly unit: string };
const measuresOf = (title: string): readonly Measure[] =>
  [...title.matchAll(MEASURE)].map(([text, number = '', unit = '']) => ({ text, number, unit }));
const isWithin = (
  { range: { min = -Infinity, max = Infinity } }: EffectiveAttribute,
  value: number,
): boolean => value >= min && value <= max;

/** Years are told by their size: no other number has so narrow a range so far from zero. */
const isYear = ({ attribute: { type }, range: { min = 0, max = Infinity } }: EffectiveAttribute): boolean =>
  type.kind === 'number' && type.unit === undefined && min >= 1_000 && max <= 2_200;
const YEAR_UNITS = new Set(['', 'г', 'год', 'года', 'гв', 'г.в', 'г.в.', 'г.', 'year']);

const numbers = (
  title: string,
  free: ReadonlyMap<AttributeId, EffectiveAttribute>,
): readonly FoundValue[] => {
  const found = new Map<EffectiveAttribute, Set<number>>();
  const measures = measuresOf(title);
  const note = (one: EffectiveAttribute | undefined, value: number | undefined): void => {
    if (one && value !== undefined && isWithin(one, value))
      found.set(one, new Set([...(found.get(one) ?? []), value]));
  };
  const own = [...free.values()].filter(({ attribute: { type } }) => type.kind === 'number');
  for (const { number, unit } of measures) {
    const fitting = own.filter(
      ({ attribute: { type } }) => type.kind === 'number' && isSameUnit(unit, type.unit),
    );
    const one = theOne(fitting);
    if (one?.attribute.type.kind === 'number')
      note(one, parseMeasure(`${number} ${unit}`, one.attribute.type.unit));
    // The next word may belong to the number or not: «2018 чёрная».
    if (/^\d{4}$/.test(number) && (YEAR_UNITS.has(unit.toLowerCase()) || unit.length > 2))
      note(theOne(own.filter(isYear)), Number(number));
  }
  return [...found].flatMap(([{ attribute }, values]) =>
    values.size === 1 ? [{ attribute, values: [...values] }] : [],
  );
};

/** Values that the title names, for attributes that the offer does not have yet. What may mean two things is left out. */
export const valuesInTitle = (
  index: RecognitionIndex,
  category: CategoryId,
  title: string,
  has: ReadonlySet<AttributeId>,
): readonly FoundValue[] => {
  const free = new Map([...index.attributesOf(category)].filter(([id]) => !has.has(id)));
  if (free.size === 0) return [];
  const tokens = tokensOf(index.analyzer, title);
  const all = [
    ...dictionaryValues(index, tokens, free),
    ...booleans(index, tokens, free),
    ...numbers(title, free),
  ];
  return [...new Map(all.map((one) => [one.attribute.id, one] as const)).values()];
};

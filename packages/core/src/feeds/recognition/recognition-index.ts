import {
  spellings,
  type Attribute,
  type AttributeId,
  type Catalog,
  type Category,
  type CategoryId,
  type DictionaryValue,
  type EffectiveAttribute,
} from '../../catalog/index.ts';
import { WordIndex, type KnownWord } from '../../search/index.ts';
import type { Analyzer } from '../../vasgen/index.ts';
import { growPhrases, type Phrases } from './phrases.ts';
import { termsOf } from './tokens.ts';

export type ValueMeaning = { readonly attribute: Attribute; readonly value: DictionaryValue };
/** How much a phrase speaks for each category, by the number of the category. */
export type Support = ReadonlyMap<number, number>;
/** A name of several words whose words may stand apart: «купить … квартиру». */
export type Scattered = { readonly terms: readonly string[]; readonly support: Support };

/** Names, synonyms and values of one version of the catalogue, ready to be found in texts. */
export type RecognitionIndex = {
  readonly catalog: Catalog;
  readonly analyzer: Analyzer;
  /** Live categories; parents before their children. */
  readonly categories: readonly Category[];
  readonly numberOf: ReadonlyMap<CategoryId, number>;
  readonly evidence: Phrases<Support>;
  readonly scattered: ReadonlyMap<string, readonly Scattered[]>;
  /** Terms of the evidence, for misspelled words. */
  readonly words: WordIndex;
  readonly values: Phrases<ValueMeaning>;
  readonly attributeNames: Phrases<Attribute>;
  /** Effective attributes by id. */
  readonly attributesOf: (category: CategoryId) => ReadonlyMap<AttributeId, EffectiveAttribute>;
};

const NAME_WEIGHT = 3;
const PART_WEIGHT = 2.4;
const SCATTERED_WEIGHT = 2.6;
const VALUE_WEIGHT = 2;
const SHORT_VALUE_WEIGHT = 1;
const WORD_WEIGHT = 0.8;
const ATTRIBUTE_WEIGHT = 0.4;
/** For a category that narrows the attribute to this value, or must have it. */
const OWN_VALUE = 1.1;
/** A phrase that fits so many branches of the tree says nothing about the category. */
const BRANCHES_MAX = 8;
const PARTS = /\s*,\s*|\s+и\s+|\s+and\s+/;
const DIGITS = /^\d+$/;

/** «XL», «42» and «2 в 1» are values of many things: alone they say nothing. */
export const isWeakPhrase = (terms: readonly string[]): boolean => {
  const letters = terms.filter((term) => !DIGITS.test(term)).join('').length;
  if (letters === 0) return !(terms.length === 1 && terms[0]!.length >= 4 && Number(terms[0]) > 2_100);
  return terms.length === 1 && letters < 2;
};
const valueWeight = (terms: readonly string[]): number => {
  if (isWeakPhrase(terms)) return 0;
  return terms.length === 1 && terms[0]!.length < 3 ? SHORT_VALUE_WEIGHT : VALUE_WEIGHT;
};

const isOwn = ({ attribute: { type }, required, values }: EffectiveAttribute): boolean =>
  required || (type.kind === 'dictionary' && values.length < type.values.length);

const build = (catalog: Catalog, analyzer: Analyzer): RecognitionIndex => {
  const categories = catalog.content.categories
    .filter(({ retired }) => !retired)
    .map((category) => ({ category, depth: catalog.path(category.id).length }))
    .sort((a, b) => a.depth - b.depth)
    .map(({ category }) => category);
  const numberOf = new Map(categories.map(({ id }, n) => [id, n] as const));
  const parentOf = categories.map(({ parent }) => (parent === undefined ? -1 : (numberOf.get(parent) ?? -1)));
  const allows = new Map<AttributeId, Map<number, EffectiveAttribute>>();
  const byCategory = categories.map(({ id }, n) => {
    const effective = catalog.effectiveAttributes(id);
    for (const one of effective) {
      const places = allows.get(one.attribute.id) ?? new Map<number, EffectiveAttribute>();
      places.set(n, one);
      allows.set(one.attribute.id, places);
    }
    return new Map(effective.map((one) => [one.attribute.id, one] as const));
  });
  const below = categories.map((): number[] => []);
  for (let n = 0; n < categories.length; n++)
    for (let at = n; at >= 0; at = parentOf[at]!) below[at]!.push(n);

  const terms = new Map<string, readonly string[]>();
  const termsOfName = (name: string): readonly string[] => {
    const known = terms.get(name) ?? termsOf(analyzer, name);
    terms.set(name, known);
    return known;
  };
  /** Evidence by phrase. The strongest reason for a category counts. */
  const gathered = new Map<
    string,
    { readonly terms: readonly string[]; readonly support: Map<number, number> }
  >();
  const support = (phrase: readonly string[], places: Iterable<number>, weight: number): void => {
    if (phrase.length === 0 || weight === 0) return;
    const key = phrase.join(' ');
    const entry = gathered.get(key) ?? { terms: phrase, support: new Map<number, number>() };
    for (const n of places) entry.support.set(n, Math.max(entry.support.get(n) ?? 0, weight));
    gathered.set(key, entry);
  };
  const bags: { readonly terms: readonly string[]; readonly places: readonly number[] }[] = [];
  for (const [n, { names, parent }] of categories.entries()) {
    if (parent === undefined) continue;
    for (const name of spellings(names)) {
      const phrase = termsOfName(name);
      support(phrase, below[n]!, NAME_WEIGHT);
      const parts = name.split(PARTS);
      if (parts.length > 1) for (const part of parts) support(termsOfName(part), below[n]!, PART_WEIGHT);
      else if (phrase.length > 1) bags.push({ terms: phrase, places: below[n]! });
      for (const part of parts.map(termsOfName))
        if (part.length > 1)
          for (const term of part) if (!isWeakPhrase([term])) support([term], below[n]!, WORD_WEIGHT);
    }
  }
  const values = growPhrases<ValueMeaning>();
  const attributeNames = growPhrases<Attribute>();
  for (const attribute of catalog.content.attributes) {
    const places = allows.get(attribute.id);
    if (!places) continue;
    for (const name of spellings(attribute.names)) {
      const phrase = termsOfName(name);
      attributeNames.add(phrase, attribute);
      if (!isWeakPhrase(phrase)) support(phrase, places.keys(), ATTRIBUTE_WEIGHT);
    }
    if (attribute.type.kind !== 'dictionary') continue;
    for (const value of attribute.type.values) {
      if (value.retired) continue;
      const having = [...places].flatMap(([n, one]) => (one.values.includes(value.id) ? [n] : []));
      for (const name of spellings(value.names)) {
        const phrase = termsOfName(name);
        values.add(phrase, { attribute, value });
        const own = having.filter((n) => isOwn(places.get(n)!));
        support(phrase, having, valueWeight(phrase));
        support(phrase, own, valueWeight(phrase) * OWN_VALUE);
      }
    }
  }
  /** The more branches of the tree a phrase fits, the less it says about each. */
  const shared = (weights: ReadonlyMap<number, number>): Support | undefined => {
    const branches = [...weights.keys()].filter((n) => !weights.has(parentOf[n]!)).length;
    if (branches > BRANCHES_MAX) return undefined;
    return new Map([...weights].map(([n, weight]) => [n, weight / branches] as const));
  };
  const evidence = growPhrases<Support>();
  const words = new Set<string>();
  for (const { terms: phrase, support: weights } of gathered.values()) {
    const told = shared(weights);
    if (!told) continue;
    evidence.add(phrase, told);
    for (const term of phrase) words.add(term);
  }
  const scattered = new Map<string, Scattered[]>();
  for (const { terms: phrase, places } of bags) {
    const told = shared(new Map(places.map((n) => [n, SCATTERED_WEIGHT] as const)));
    const [first] = phrase;
    if (told && first !== undefined)
      scattered.set(first, [...(scattered.get(first) ?? []), { terms: phrase, support: told }]);
  }
  const known = [...words]
    .filter((word) => !DIGITS.test(word))
    .map((word): KnownWord => ({ word, documents: 1 }));
  return {
    catalog,
    analyzer,
    categories,
    numberOf,
    evidence: evidence.root,
    scattered,
    words: WordIndex.of(known),
    values: values.root,
    attributeNames: attributeNames.root,
    attributesOf: (category) => byCategory[numberOf.get(category) ?? -1] ?? new Map(),
  };
};

const built = new WeakMap<Catalog, RecognitionIndex>();
/** Built once for a version of the catalogue. */
export const recognitionIndex = (catalog: Catalog, analyzer: Analyzer): RecognitionIndex => {
  const known = built.get(catalog);
  if (known?.analyzer.id === analyzer.id) return known;
  const made = build(catalog, analyzer);
  built.set(catalog, made);
  return made;
};

import type { PublishedOffer, PublishedValue } from '@doska/adapters-grpc';
import { DEMO_PICTURES, demoPictureUrl } from '@doska/app-composition';
import type { Catalog, Category, EffectiveAttribute, Names } from '@doska/core/catalog';
import { xxh64 } from '@doska/core/kernel';

const CITIES = [
  'Москва, метро Сокол',
  'Москва, метро Тверская',
  'Москва',
  'Санкт-Петербург, метро Автово',
  'Санкт-Петербург',
  'Казань, метро Площадь Тукая',
  'Казань',
  'Новосибирск',
  'Екатеринбург',
  'Нижний Новгород',
];
const STATES = {
  ru: ['в отличном состоянии', 'новое', 'почти новое', 'срочно', 'торг уместен', 'от хозяина', 'недорого'],
  en: [
    'in excellent condition',
    'brand new',
    'like new',
    'urgent',
    'price is negotiable',
    'from the owner',
    'cheap',
  ],
} as const;
const SENTENCES = {
  ru: [
    'Продаю, потому что переезжаем.',
    'Пользовались аккуратно, всё работает.',
    'Документы есть, покажу при встрече.',
    'Отвечу на все вопросы, звоните днём.',
    'Можно забрать сегодня, помогу погрузить.',
    'Отправлю в другой город за ваш счёт.',
  ],
  en: [
    'Selling because we are moving.',
    'Used with care, everything works.',
    'All papers are there.',
    'Happy to answer questions, call during the day.',
    'You can collect it today.',
    'I can ship it at your cost.',
  ],
} as const;
/** Numbers without a range in the catalogue. */
const NUMBER_SPAN = 100;
const OPTIONAL_SHARE = 0.6;
const PICTURES_SHARE = 0.1;
const ENGLISH_SHARE = 0.15;
const DOLLAR_SHARE = 0.03;

/** Numbers from 0 to 1 that depend on the key alone: the same seed makes the same offers. */
export const diceOf = (key: string): (() => number) => {
  let throws = 0;
  return () => Number(xxh64(`${key}/${throws++}`) >> 11n) / 2 ** 53;
};
type Dice = () => number;
const pick = <T>(dice: Dice, from: readonly T[]): T => from[Math.floor(dice() * from.length)]!;

const leaves = new WeakMap<Catalog, readonly Category[]>();
/** Categories that offers stand in: those without children. */
export const leafCategories = (catalog: Catalog): readonly Category[] => {
  const found =
    leaves.get(catalog) ??
    catalog.content.categories.filter(
      ({ id, retired, parent }) => !retired && parent !== undefined && catalog.children(id).length === 0,
    );
  leaves.set(catalog, found);
  return found;
};

const valuesOf = (
  { attribute, values, range, multiple }: EffectiveAttribute,
  dice: Dice,
): readonly PublishedValue[] => {
  switch (attribute.type.kind) {
    case 'dictionary': {
      if (values.length === 0) return [];
      const count = multiple ? 1 + Math.floor(dice() * Math.min(3, values.length)) : 1;
      return [...new Set(Array.from({ length: count }, () => pick(dice, values)))].map((text) => ({ text }));
    }
    case 'number': {
      const { min = range.max === undefined ? 1 : range.max - NUMBER_SPAN } = range;
      const { max = min + NUMBER_SPAN } = range;
      return [{ number: Math.min(max, Math.ceil(min + dice() * (max - min))) }];
    }
    case 'boolean':
      return [{ flag: dice() < 0.5 }];
    case 'string':
      return [{ text: `N${Math.floor(dice() * 1e6)}`.slice(0, attribute.type.lengthMax) }];
  }
};

const priceOf = (dice: Dice): PublishedOffer['price'] => {
  const rubles = Math.round(10 ** (2 + dice() * 4));
  const isDollar = dice() < DOLLAR_SHARE;
  return {
    minorUnits: (isDollar ? Math.ceil(rubles / 80) : rubles) * 100,
    currency: isDollar ? 'USD' : 'RUB',
  };
};

const picturesOf = (dice: Dice): readonly string[] => {
  if (dice() >= PICTURES_SHARE) return [];
  const first = Math.floor(dice() * DEMO_PICTURES);
  const count = 1 + Math.floor(dice() * 3);
  return Array.from({ length: count }, (_, n) => demoPictureUrl(1 + ((first + n) % DEMO_PICTURES)));
};

/** The n-th offer of a seller. */
export const demoOffer = (catalog: Catalog, seed: number, seller: string, n: number): PublishedOffer => {
  const dice = diceOf(`${seed}/${seller}/${n}`);
  const category = pick(dice, leafCategories(catalog));
  const language = dice() < ENGLISH_SHARE ? 'en' : 'ru';
  const attributes = catalog
    .effectiveAttributes(category.id)
    .filter(({ required }) => dice() < OPTIONAL_SHARE || required)
    .map((effective) => ({ effective, values: valuesOf(effective, dice) }))
    .filter(({ values }) => values.length > 0);
  const words = attributes.flatMap(({ effective: { attribute }, values }) => {
    const [first] = values;
    const { type } = attribute;
    const names =
      type.kind === 'dictionary' && first && 'text' in first
        ? type.values.find(({ id }) => id === first.text)?.names
        : undefined;
    return names ? [names[language]] : [];
  });
  const nameOf = (names: Names): string => names[language];
  return {
    categoryId: category.id,
    title: [nameOf(category.names), ...words.slice(0, 2), pick(dice, STATES[language])]
      .join(', ')
      .slice(0, 120),
    description: [words.join(', '), pick(dice, SENTENCES[language]), pick(dice, SENTENCES[language])]
      .filter((text) => text !== '')
      .join('. ')
      .replaceAll('..', '.'),
    price: priceOf(dice),
    address: pick(dice, CITIES),
    phone: `+7 900 ${String(Math.floor(dice() * 1e7)).padStart(7, '0')}`,
    photos: picturesOf(dice),
    attributes: attributes.map(({ effective, values }) => ({ attributeId: effective.attribute.id, values })),
  };
};

import { randomInt } from 'node:crypto';
import {
  catalogOf,
  noOverride,
  type AttributeId,
  type Catalog,
  type CategoryId,
  type ValueId,
} from '@doska/core/catalog';
import {
  decidePublish,
  defaultGostSettings,
  emptyText,
  type CommandId,
  type OfferChange,
  type OfferContent,
  type OfferId,
  type SellerId,
} from '@doska/core/gost';
import type { Clock, Random } from '@doska/core/kernel';

export const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
export const random: Random = { below: (n) => randomInt(n) };
/** Chance for choices of the load itself: it must cost nothing. */
export const below = (n: number): number => Math.floor(Math.random() * n);

const named = (text: string) => ({ ru: text, en: text, synonyms: { ru: [], en: [] } });
const plain = (id: string) => ({
  id: id as AttributeId,
  names: named(id),
  multiple: false,
  filterable: true,
});
const MAKES = ['lada', 'uaz', 'gaz', 'moskvich'];
export const catalog: Catalog = catalogOf(1, {
  attributes: [
    {
      ...plain('make'),
      retired: false,
      type: {
        kind: 'dictionary',
        values: MAKES.map((id) => ({ id: id as ValueId, names: named(id), retired: false })),
      },
    },
    {
      ...plain('year'),
      retired: false,
      type: { kind: 'number', range: { min: 1900, max: 2100 }, unit: undefined },
    },
  ],
  categories: [
    {
      id: 'cars' as CategoryId,
      parent: undefined,
      names: named('cars'),
      filters: noOverride,
      attributes: ['make', 'year'].map((id) => ({ attribute: id as AttributeId })),
      retired: false,
    },
  ],
});

const WORDS =
  'продаю автомобиль в хорошем состоянии один хозяин пробег родной сервисная книжка зимняя резина салон чистый двигатель коробка работают без нареканий торг у капота обмен не предлагать документы готовы кузов ржавчины нет окрашен бампер вложений не требует звоните вечером посмотреть можно на выходных'.split(
    ' ',
  );
const sentence = (words: number): string =>
  Array.from({ length: words }, () => WORDS[below(WORDS.length)]!).join(' ');

/** Contents of about 2 KB, as sellers write them; an edit is one of them under a title of its own. */
const CONTENTS: readonly OfferContent[] = Array.from({ length: 50 }, (_, n) => ({
  ...emptyText,
  category: 'cars' as CategoryId,
  attributes: [
    { attribute: 'make' as AttributeId, values: [MAKES[n % MAKES.length]!] },
    { attribute: 'year' as AttributeId, values: [1990 + n] },
  ],
  title: `Автомобиль ${n}`,
  description: sentence(130),
  price: { minorUnits: 10_000_000 + n, currency: 'RUB' },
  place: { address: 'Казань, улица Баумана, 1', point: { latitude: 55.79, longitude: 49.11 } },
  contacts: { name: 'Анна', phone: '+7 900 000-00-00', email: undefined },
}));
let editions = 0;
/** Never the same twice. */
export const nextContent = (): OfferContent => ({
  ...CONTENTS[editions % CONTENTS.length]!,
  title: `Автомобиль, правка ${++editions}`,
});
export const nextCommand = (): CommandId => `bench-${++editions}` as CommandId;
export const contentAt = (n: number): OfferContent => CONTENTS[n % CONTENTS.length]!;

export const { shards: SHARDS } = defaultGostSettings;
export const publicationOf = (offerId: OfferId, seller: SellerId, content: OfferContent): OfferChange => {
  const decision = decidePublish(
    undefined,
    { kind: 'publish', id: 'bench-0' as CommandId, by: 'seller', offerId, seller, content },
    {
      nowUs: Date.now() * 1_000,
      catalog,
      limits: defaultGostSettings.limits,
      lifetimeUs: defaultGostSettings.lifetimeUs,
      shards: SHARDS,
      stripe: 0,
    },
  )._unsafeUnwrap();
  if (decision.kind === 'none') throw new Error('a new offer changes something');
  return decision.change;
};

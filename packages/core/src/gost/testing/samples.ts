import { errAsync, okAsync } from 'neverthrow';
import {
  catalogOf,
  noOverride,
  type AttributeId,
  type Catalog,
  type CategoryId,
  type ValueId,
} from '../../catalog/index.ts';
import { unavailable } from '../../kernel/index.ts';
import type { Geocoder } from '../offer/geocoder.port.ts';
import type { DecisionContext } from '../offer/step.ts';
import { emptyText, type CommandId, type OfferContent, type SellerId } from '../offer/offer.ts';
import { offerIdFrom, type OfferId } from '../offer/offer-id.ts';
import { defaultOfferLimits } from '../offer/validation.ts';

const named = (en: string) => ({ ru: en, en, synonyms: { ru: [], en: [] } });
const attribute = (id: string) => ({
  id: id as AttributeId,
  names: named(id),
  filterable: true,
  retired: false,
  multiple: false,
});

/** `cars` requires a make and takes a year and options; `gone` takes no offers any more. */
export const sampleCatalog: Catalog = catalogOf(7, {
  attributes: [
    {
      ...attribute('make'),
      type: {
        kind: 'dictionary',
        values: ['lada', 'uaz'].map((id) => ({ id: id as ValueId, names: named(id), retired: false })),
      },
    },
    {
      ...attribute('year'),
      type: { kind: 'number', range: { min: 1900, max: 2100 }, unit: undefined },
    },
    { ...attribute('options'), multiple: true, type: { kind: 'string', lengthMax: 10 } },
    { ...attribute('new'), type: { kind: 'boolean' } },
  ],
  categories: [
    { id: 'all', parent: undefined, attributes: [] as const, retired: false },
    {
      id: 'cars',
      parent: 'all',
      attributes: [
        { attribute: 'make' as AttributeId, required: true },
        ...['year', 'options', 'new'].map((id) => ({ attribute: id as AttributeId })),
      ],
      retired: false,
    },
    { id: 'gone', parent: 'all', attributes: [] as const, retired: true },
  ].map(({ id, parent, ...rest }) => ({
    id: id as CategoryId,
    parent: parent as CategoryId | undefined,
    names: named(id),
    filters: noOverride,
    ...rest,
  })),
});

export const sampleContent = (change: Partial<OfferContent> = {}): OfferContent => ({
  ...emptyText,
  category: 'cars' as CategoryId,
  attributes: [{ attribute: 'make' as AttributeId, values: ['lada'] }],
  title: 'Lada, blue',
  description: 'Runs.',
  price: { minorUnits: 100_000, currency: 'RUB' },
  contacts: { name: 'Ann', phone: '+7 900 000-00-00', email: undefined },
  ...change,
});

/** Knows one city, and is unavailable for the address `nowhere to be had`. */
export const sampleGeocoder: Geocoder = {
  locate: ({ address, point }) => {
    if (address === 'nowhere to be had') return errAsync(unavailable('geocoder'));
    const known = point !== undefined || address?.includes('Казань');
    return okAsync(known ? { geoId: 'kazan', district: undefined, metro: ['Кремлёвская'] } : undefined);
  },
};

export const sampleSeller = (n = 1): SellerId => `seller-${n}` as SellerId;
/** The n-th id, always the same; the ids have no order. */
export const sampleOfferId = (n: number): OfferId =>
  offerIdFrom(Array.from({ length: 12 }, (_, i) => Math.floor(n / 32 ** (i % 4)) % 32));
export const commandId = (name: string | number): CommandId => `command-${name}` as CommandId;

export const DAY_US = 24 * 3_600 * 1_000_000;
export const sampleContext = (change: Partial<DecisionContext> = {}): DecisionContext => ({
  nowUs: 1_000_000_000,
  catalog: sampleCatalog,
  limits: defaultOfferLimits,
  lifetimeUs: 30 * DAY_US,
  shards: 4,
  stripe: 0,
  ...change,
});

import {
  FED_FILTERS,
  type Attribute,
  type AttributeId,
  type AttributeType,
  type AttributeUse,
  type CatalogContent,
  type Category,
  type CategoryId,
  type DictionaryValue,
  type FedFilter,
  type Names,
  type StandardFilter,
  type ValueId,
} from '@doska/core/catalog';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import {
  StandardFilter as PbFilter,
  type Attribute as PbAttribute,
  type AttributeUse as PbUse,
  type CatalogContent as PbContent,
  type Category as PbCategory,
  type DictionaryValue as PbValue,
  type Names as PbNames,
} from '../generated/doska/catalog/v1/catalog.ts';

const filters = {
  price: PbFilter.STANDARD_FILTER_PRICE,
  geo: PbFilter.STANDARD_FILTER_GEO,
  withPhoto: PbFilter.STANDARD_FILTER_WITH_PHOTO,
  publishedWithin: PbFilter.STANDARD_FILTER_PUBLISHED_WITHIN,
  sellerType: PbFilter.STANDARD_FILTER_SELLER_TYPE,
  salary: PbFilter.STANDARD_FILTER_SALARY,
  employment: PbFilter.STANDARD_FILTER_EMPLOYMENT,
  schedule: PbFilter.STANDARD_FILTER_SCHEDULE,
} as const satisfies Record<StandardFilter, PbFilter>;
const filterNames: Readonly<Record<number, StandardFilter>> = Object.fromEntries(
  Object.entries(filters).map(([name, wire]) => [wire, name as StandardFilter]),
);

const malformed = (field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what: 'catalogue', field });

export const filterToPb = (filter: StandardFilter): PbFilter => filters[filter];
const filterFromPb = (wire: PbFilter, field: string): Result<StandardFilter, Malformed> => {
  const filter = filterNames[wire];
  return filter ? ok(filter) : malformed(field);
};

export const namesToPb = ({ ru, en, synonyms }: Names): PbNames => ({
  ru,
  en,
  synonymsRu: [...synonyms.ru],
  synonymsEn: [...synonyms.en],
});
const namesFromPb = (names: PbNames | undefined): Names => ({
  ru: names?.ru ?? '',
  en: names?.en ?? '',
  synonyms: { ru: names?.synonymsRu ?? [], en: names?.synonymsEn ?? [] },
});

const useToPb = ({ attribute, required, multiple, filterable, values, min, max }: AttributeUse): PbUse => ({
  attributeId: attribute,
  required,
  multiple,
  filterable,
  valueIds: [...(values ?? [])],
  min,
  max,
});
const useFromPb = ({
  attributeId,
  required,
  multiple,
  filterable,
  valueIds,
  min,
  max,
}: PbUse): AttributeUse => ({
  attribute: attributeId as AttributeId,
  ...(required === undefined ? {} : { required }),
  ...(multiple === undefined ? {} : { multiple }),
  ...(filterable === undefined ? {} : { filterable }),
  ...(valueIds.length === 0 ? {} : { values: valueIds as ValueId[] }),
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

export const categoryToPb = ({
  id,
  parent,
  names,
  attributes,
  filters: { add, remove },
  retired,
}: Category): PbCategory => ({
  id,
  parentId: parent ?? '',
  names: namesToPb(names),
  retired,
  attributes: attributes.map(useToPb),
  filtersAdded: add.map(filterToPb),
  filtersRemoved: remove.map(filterToPb),
});
const categoryFromPb = (pb: PbCategory): Result<Category, Malformed> => {
  if (pb.id === '') return malformed('categories.id');
  const read = (list: readonly PbFilter[], field: string) =>
    Result.combine(list.map((wire) => filterFromPb(wire, `categories/${pb.id}/${field}`)));
  return Result.combine([
    read(pb.filtersAdded, 'filters_added'),
    read(pb.filtersRemoved, 'filters_removed'),
  ]).map(([add = [], remove = []]) => ({
    id: pb.id as CategoryId,
    parent: pb.parentId === '' ? undefined : (pb.parentId as CategoryId),
    names: namesFromPb(pb.names),
    attributes: pb.attributes.map(useFromPb),
    filters: { add, remove },
    retired: pb.retired,
  }));
};

const valueToPb = ({ id, names, retired }: DictionaryValue): PbValue => ({
  id,
  names: namesToPb(names),
  retired,
});
const typeToPb = (type: AttributeType): NonNullable<PbAttribute['type']> => {
  switch (type.kind) {
    case 'dictionary':
      return { $case: 'dictionary', value: { values: type.values.map(valueToPb) } };
    case 'number':
      return { $case: 'number', value: { ...type.range, unit: type.unit ?? '' } };
    case 'boolean':
      return { $case: 'boolean', value: {} };
    case 'string':
      return { $case: 'string', value: { lengthMax: type.lengthMax } };
  }
};
const typeFromPb = (type: NonNullable<PbAttribute['type']>): AttributeType => {
  switch (type.$case) {
    case 'dictionary':
      return {
        kind: 'dictionary',
        values: type.value.values.map(({ id, names, retired }) => ({
          id: id as ValueId,
          names: namesFromPb(names),
          retired,
        })),
      };
    case 'number':
      return {
        kind: 'number',
        range: { min: type.value.min, max: type.value.max },
        unit: type.value.unit === '' ? undefined : type.value.unit,
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'string':
      return { kind: 'string', lengthMax: type.value.lengthMax };
  }
};
export const attributeToPb = ({
  id,
  names,
  type,
  multiple,
  filterable,
  retired,
  feeds,
}: Attribute): PbAttribute => ({
  id,
  names: namesToPb(names),
  type: typeToPb(type),
  multiple,
  filterable,
  retired,
  feeds: feeds === undefined ? PbFilter.STANDARD_FILTER_UNSPECIFIED : filterToPb(feeds),
});
const feedsFromPb = (wire: PbFilter, field: string): Result<FedFilter | undefined, Malformed> => {
  if (wire === PbFilter.STANDARD_FILTER_UNSPECIFIED) return ok(undefined);
  const filter = FED_FILTERS.find((one) => one === filterNames[wire]);
  return filter ? ok(filter) : malformed(field);
};
const attributeFromPb = ({
  id,
  names,
  type,
  multiple,
  filterable,
  retired,
  feeds: fed,
}: PbAttribute): Result<Attribute, Malformed> => {
  if (id === '') return malformed('attributes.id');
  if (type === undefined) return malformed(`attributes/${id}/type`);
  return feedsFromPb(fed, `attributes/${id}/feeds`).map((feeds) => ({
    id: id as AttributeId,
    names: namesFromPb(names),
    type: typeFromPb(type),
    multiple,
    filterable,
    retired,
    ...(feeds !== undefined && { feeds }),
  }));
};

/** Content of any size, or a piece of it: categories and attributes map one by one. */
export const contentToPb = ({ categories, attributes }: CatalogContent): PbContent => ({
  categories: categories.map(categoryToPb),
  attributes: attributes.map(attributeToPb),
});
export const contentFromPb = ({ categories, attributes }: PbContent): Result<CatalogContent, Malformed> =>
  Result.combine(categories.map(categoryFromPb)).andThen((read) =>
    Result.combine(attributes.map(attributeFromPb)).map((kept) => ({ categories: read, attributes: kept })),
  );

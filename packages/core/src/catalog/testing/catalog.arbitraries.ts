import fc from 'fast-check';
import type { Attribute, AttributeId, AttributeType, AttributeUse, ValueId } from '../domain/attribute.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import type { Category, CategoryId } from '../domain/category.ts';
import { narrow, widest, type EffectiveAttribute } from '../domain/effective.ts';
import type { Names } from '../domain/names.ts';
import { FED_FILTERS, STANDARD_FILTERS } from '../domain/standard-filters.ts';

export const named = (en: string, ru = `${en} по-русски`): Names => ({
  ru,
  en,
  synonyms: { ru: [], en: [] },
});

const small = fc.integer({ min: 0, max: 9 });
const type = (id: string): fc.Arbitrary<AttributeType> =>
  fc.oneof(
    fc.integer({ min: 1, max: 5 }).map((n): AttributeType => ({
      kind: 'dictionary',
      values: Array.from({ length: n }, (_, i) => ({
        id: `${id}v${i}` as ValueId,
        names: named(`${id} value ${i}`),
        retired: false,
      })),
    })),
    fc
      .tuple(fc.option(small, { nil: undefined }), fc.option(small, { nil: undefined }))
      .map(([min, span]): AttributeType => ({
        kind: 'number',
        range: { min, max: span === undefined ? undefined : (min ?? 0) + span },
        unit: undefined,
      })),
    fc.constant<AttributeType>({ kind: 'boolean' }),
    fc.constant<AttributeType>({ kind: 'string', lengthMax: 100 }),
  );
const attributeAt = (i: number): fc.Arbitrary<Attribute> =>
  fc
    .record({ type: type(`a${i}`), multiple: fc.boolean(), filterable: fc.boolean() })
    .map((rest) => ({ id: `a${i}` as AttributeId, names: named(`attribute ${i}`), retired: false, ...rest }));

/** Some of the attributes that may feed a standard filter do, each filter by one. */
const feeding = (attributes: readonly Attribute[]): fc.Arbitrary<Attribute[]> => {
  const able = attributes.filter(({ type: { kind }, filterable }) => kind === 'dictionary' && filterable);
  return fc.subarray(able).map((chosen) =>
    attributes.map((attribute) => {
      const feeds = FED_FILTERS[chosen.indexOf(attribute)];
      return feeds === undefined ? attribute : { ...attribute, feeds };
    }),
  );
};

/** Draws a use that narrows what is inherited, or leaves it. */
const useOf = (inherited: EffectiveAttribute): fc.Arbitrary<AttributeUse> => {
  const { attribute, values, range } = inherited;
  const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
  return fc
    .record({
      required: maybe(fc.constant(true)),
      multiple: maybe(fc.constant(false)),
      filterable: maybe(fc.constant(false)),
      values:
        attribute.type.kind === 'dictionary'
          ? maybe(fc.subarray([...values], { minLength: 1 }))
          : fc.constant(undefined),
      min:
        attribute.type.kind === 'number' && range.max !== undefined
          ? maybe(fc.integer({ min: range.min ?? range.max - 5, max: range.max }))
          : fc.constant(undefined),
    })
    .map((drawn) => ({
      attribute: attribute.id,
      ...(Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)) as Omit<
        AttributeUse,
        'attribute'
      >),
    }));
};

/** A right catalogue of up to `categoriesMax` categories; small, so that things meet often. */
export const anyCatalog = ({ categoriesMax = 10, attributesMax = 6 } = {}): fc.Arbitrary<CatalogContent> =>
  fc
    .integer({ min: 1, max: attributesMax })
    .chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => attributeAt(i))).chain(feeding))
    .chain((attributes) =>
      fc.gen().map((draw): CatalogContent => {
        const count = draw(fc.integer, { min: 1, max: categoriesMax });
        const categories: Category[] = [];
        const folded: Map<AttributeId, EffectiveAttribute>[] = [];
        for (let i = 0; i < count; i++) {
          const parentAt = i === 0 ? undefined : draw(fc.nat, i - 1);
          const id = `c${i}` as CategoryId;
          const here = new Map(parentAt === undefined ? [] : folded[parentAt]);
          const uses: AttributeUse[] = [];
          for (const attribute of draw(fc.subarray<Attribute>, attributes)) {
            const inherited = here.get(attribute.id) ?? widest(attribute, id);
            const use = draw(() => useOf(inherited));
            const narrowed = narrow(inherited, use);
            if (narrowed.isErr()) continue;
            uses.push(use);
            here.set(attribute.id, narrowed.value);
          }
          folded.push(here);
          const filters = {
            add: draw(fc.subarray<(typeof STANDARD_FILTERS)[number]>, [...STANDARD_FILTERS]),
            remove: draw(fc.subarray<(typeof STANDARD_FILTERS)[number]>, [...STANDARD_FILTERS]),
          };
          categories.push({
            id,
            parent: parentAt === undefined ? undefined : (`c${parentAt}` as CategoryId),
            names: named(`category ${i}`),
            attributes: uses,
            filters,
            retired: false,
          });
        }
        return { categories, attributes };
      }),
    );

import fc from 'fast-check';
import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import type { AttributeId, CatalogContent, CategoryId, ValueId } from '@doska/core/catalog';
import { anyCatalog } from '@doska/core/catalog/testing';
import { catalogCodec } from './catalog.codec.ts';

test('[C3] any content comes back as it was', () => {
  fc.assert(
    fc.property(anyCatalog(), (content) => {
      expect(catalogCodec.decode(catalogCodec.encode(content))).toEqual(ok(content));
    }),
    { numRuns: 500 },
  );
});
test('[C3] foreign and cut bytes are a value, never an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      catalogCodec.decode(bytes);
      catalogCodec.decode(Uint8Array.from([1, ...bytes]));
    }),
    { numRuns: 1_000 },
  );
  expect(catalogCodec.decode(new Uint8Array())._unsafeUnwrapErr()).toEqual({
    kind: 'Malformed',
    what: 'catalogue',
    field: 'version',
  });
});

const golden: CatalogContent = {
  categories: [
    {
      id: 'cars' as CategoryId,
      parent: undefined,
      names: { ru: 'Авто', en: 'Cars', synonyms: { ru: ['машины'], en: [] } },
      retired: false,
      attributes: [{ attribute: 'brand' as AttributeId, required: true, values: ['kia' as ValueId] }],
      filters: { add: ['salary'], remove: ['price'] },
    },
  ],
  attributes: [
    {
      id: 'brand' as AttributeId,
      names: { ru: 'Марка', en: 'Brand', synonyms: { ru: [], en: ['Make'] } },
      multiple: true,
      filterable: true,
      retired: true,
      type: {
        kind: 'dictionary',
        values: [
          {
            id: 'kia' as ValueId,
            names: { ru: 'Киа', en: 'Kia', synonyms: { ru: [], en: [] } },
            retired: false,
          },
        ],
      },
    },
  ],
};
test('[C3] golden: bytes of the first version stay readable', () => {
  const first =
    '010a3c0a04636172731a1e0a08d090d0b2d182d0be1204436172731a0cd0bcd0b0d188d0b8d0bdd18b220e0a056272616e6410012a036b69612a010632010112400a056272616e6412190a0ad09cd0b0d180d0bad0b012054272616e6422044d616b651a160a140a036b6961120d0a06d09ad0b8d0b012034b6961380140014801';
  expect(catalogCodec.decode(Buffer.from(first, 'hex'))).toEqual(ok(golden));
  expect(Buffer.from(catalogCodec.encode(golden)).toString('hex')).toBe(first);
});

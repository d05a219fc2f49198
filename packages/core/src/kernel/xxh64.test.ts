import fc from 'fast-check';
import { expect, test } from 'vitest';
import xxhash from 'xxhash-wasm';
import { shardOf, xxh64, xxh64Bytes } from './xxh64.ts';

const oracle = await xxhash();
const hex = (hash: bigint): string => hash.toString(16).padStart(16, '0');

/** The test buffer of the reference implementation's own sanity check. */
const sanityBuffer = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  let state = 2654435761n;
  for (let i = 0; i < length; i++) {
    bytes[i] = Number(state >> 56n);
    state = BigInt.asUintN(64, state * 11400714785074694797n);
  }
  return bytes;
};

test.each([
  [0, 'ef46db3751d8e999'],
  [1, 'e934a84adb052768'],
  [4, '9136a0dca57457ee'],
  [14, '8282dcc4994e35c8'],
  [222, 'b641ae8cb691c174'],
])('[B2] the published vector of %i bytes', (length, expected) => {
  expect(hex(xxh64Bytes(sanityBuffer(length)))).toBe(expected);
});

test.each([
  ['', 'ef46db3751d8e999'],
  ['a', 'd24ec4f1a98c6e5b'],
  ['abc', '44bc2cf5ad770999'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
])('[B2] the published vector of %j', (text, expected) => {
  expect(hex(xxh64(text))).toBe(expected);
});

test('[B2] equals the reference for every length from 0 to 300 bytes', () => {
  for (let length = 0; length <= 300; length++) {
    const bytes = sanityBuffer(length);
    expect(xxh64Bytes(bytes)).toBe(oracle.h64Raw(bytes));
  }
});

test('[B2] equals the reference for any bytes, also in the middle of a larger buffer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(9), (bytes, offset) => {
      const larger = new Uint8Array(offset + bytes.length + 5).fill(0xab);
      larger.set(bytes, offset);
      expect(xxh64Bytes(larger.subarray(offset, offset + bytes.length))).toBe(oracle.h64Raw(bytes));
    }),
    { numRuns: 2_000 },
  );
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  // Lone surrogates, in every place.
  fc
    .array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
);
test('[B2] equals the reference for any text, lone surrogates included', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(xxh64(text)).toBe(oracle.h64Raw(new TextEncoder().encode(text)));
    }),
    { numRuns: 2_000 },
  );
});

test.each(['объявление ', '€', '🎄', 'x'])('[B2] equals the reference for long texts of %j too', (part) => {
  for (let length = 1; length <= 1_200; length += 61) {
    const text = part.repeat(length);
    expect(xxh64(text)).toBe(oracle.h64Raw(new TextEncoder().encode(text)));
  }
});

test('[B2] a shard is the unsigned hash modulo the number of shards', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.oneof(fc.integer({ min: 1, max: 4_096 }), fc.integer({ min: 1, max: 2 ** 26 })),
      (key, shards) => {
        expect(shardOf(key, shards)).toBe(Number(xxh64(key) % BigInt(shards)));
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([0, -1, 1.5, NaN, Infinity, 2 ** 26 + 1])(
  '[B2] %d shards throw, because that is a bug of the caller',
  (shards) => {
    expect(() => shardOf('key', shards)).toThrow(RangeError);
  },
);

/** Rows and records lie where these say. A change here is a migration of every deployment. */
test.each([
  ['', 'ef46db3751d8e999', 9, 25, 921],
  ['seller-1', '34ce6fe55b80940e', 14, 14, 894],
  ['seller:42/offer:1001', 'c30bb8867fddc7f0', 0, 48, 256],
  ['автомобили', '64a77844cfae4bee', 14, 46, 814],
  ['продавец-7', 'aa36b4921dce35f4', 4, 52, 932],
  ['Ёлка 🎄', '002ae830ed52efe2', 2, 34, 346],
  ['\ud800', '3cf809391954c4fe', 14, 62, 558],
])('[B2] golden: %j has the same shard in every release', (key, hash, of16, of64, of1000) => {
  expect([hex(xxh64(key)), shardOf(key, 16), shardOf(key, 64), shardOf(key, 1_000)]).toEqual([
    hash,
    of16,
    of64,
    of1000,
  ]);
});

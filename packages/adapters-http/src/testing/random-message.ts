import {
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import type { SeededRandom } from '@doska/core/kernel/testing';

/** What a test puts into fields of its own choice; undefined leaves it to chance. */
export type Chosen = (field: DescField, random: SeededRandom) => JsonValue | undefined;

const TEXTS = [
  '',
  ' ',
  'a',
  'я'.repeat(30),
  '\u200b',
  'a\nb',
  '"\\',
  '😀',
  'constructor',
  '../..',
  'rodents',
  'RUB',
];
const LONGS = ['0', '1', '2', '7', '9007199254740991', '9007199254740992', '9223372036854775807'];
const UNSIGNED = [...LONGS, '18446744073709551615'];
const SIGNED = [...LONGS, '-1', '-9223372036854775808'];
const INTS = [0, 1, 2, 3, 20, 200, 201, 5_000, 2 ** 31 - 1];
const FLOATS: readonly JsonValue[] = [0, 1.5, -91, 181, 1e308, 5e-324, 'Infinity', '-Infinity', 'NaN'];

const pick = <T>(random: SeededRandom, from: readonly T[]): T => from[random.below(from.length)]!;

const scalarOf = (scalar: ScalarType, random: SeededRandom): JsonValue => {
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- all other kinds are 64-bit numbers
  switch (scalar) {
    case ScalarType.STRING:
      return pick(random, TEXTS);
    case ScalarType.BYTES:
      return pick(random, ['', '/w==', 'AAEC']);
    case ScalarType.BOOL:
      return random.chance(0.5);
    case ScalarType.DOUBLE:
      return pick(random, FLOATS);
    case ScalarType.UINT32:
      return pick(random, [...INTS, 2 ** 32 - 1]);
    case ScalarType.INT32:
      return pick(random, [...INTS, -1, -(2 ** 31)]);
    case ScalarType.UINT64:
      return pick(random, UNSIGNED);
    default:
      return pick(random, SIGNED);
  }
};

/** A JSON that is a message of the type, with values at the bounds of what fields can hold. */
export const randomJson = (
  type: DescMessage,
  random: SeededRandom,
  chosen: Chosen = () => undefined,
  depth = 0,
): JsonObject => {
  const one = (field: DescField): JsonValue => {
    if (field.message?.typeName === 'google.protobuf.Timestamp')
      return pick(random, [
        '1970-01-01T00:00:00Z',
        '2026-11-18T04:05:06.120Z',
        '2026-01-01T00:00:00.000001Z',
      ]);
    if (field.message) return randomJson(field.message, random, chosen, depth + 1);
    if (field.enum) return pick(random, [...field.enum.values.map(({ name }) => name), 99]);
    return scalarOf(field.scalar, random);
  };
  const json: JsonObject = {};
  for (const member of type.members) {
    const field = member.kind === 'oneof' ? pick(random, member.fields) : member;
    const given = chosen(field, random);
    if (given !== undefined) json[field.jsonName] = given;
    else if (random.chance(0.2) || depth > 5) continue;
    else if (field.fieldKind === 'list')
      json[field.jsonName] = Array.from({ length: random.below(depth > 1 ? 2 : 4) }, () => one(field));
    else if (field.fieldKind === 'map') json[field.jsonName] = { 'a key': one(field), __proto: one(field) };
    else json[field.jsonName] = one(field);
  }
  return json;
};

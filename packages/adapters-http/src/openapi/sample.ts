import {
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';

const scalarSample = (scalar: ScalarType): JsonValue => {
  switch (scalar) {
    case ScalarType.STRING:
      return 'text';
    case ScalarType.BYTES:
      return 'AAEC';
    case ScalarType.BOOL:
      return true;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 1.5;
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 1;
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return '1';
  }
};

/** An example of a message that has none of its own: one value of each field's type. */
export const sampleOf = (type: DescMessage, within: readonly string[] = []): JsonObject => {
  const one = (field: DescField): JsonValue => {
    if (field.message?.typeName === 'google.protobuf.Timestamp') return '2026-01-31T12:00:00Z';
    if (field.message) return sampleOf(field.message, [...within, type.typeName]);
    return field.enum ? (field.enum.values[1] ?? field.enum.values[0])!.name : scalarSample(field.scalar);
  };
  const json: JsonObject = {};
  for (const member of type.members) {
    const field = member.kind === 'oneof' ? member.fields[0] : member;
    if (!field || (field.message && [...within, type.typeName].includes(field.message.typeName))) continue;
    if (field.fieldKind === 'list') json[field.jsonName] = [one(field)];
    else json[field.jsonName] = field.fieldKind === 'map' ? { key: one(field) } : one(field);
  }
  return json;
};

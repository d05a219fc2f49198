import { ScalarType, type DescEnum, type DescField, type DescMessage } from '@bufbuild/protobuf';
import type { Schema } from './open-api.ts';

/** What the contracts say in comments, by the full name of the thing: `doska.gost.v1.Offer.view`. */
export type Comments = Readonly<Record<string, string>>;

const LONG = '^-?[0-9]{1,20}$';
const SCALARS: Readonly<Record<ScalarType, Schema>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.BYTES]: { type: 'string', format: 'byte' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.SINT32]: { type: 'integer', format: 'int32' },
  [ScalarType.SFIXED32]: { type: 'integer', format: 'int32' },
  [ScalarType.UINT32]: { type: 'integer', format: 'int64', minimum: 0 },
  [ScalarType.FIXED32]: { type: 'integer', format: 'int64', minimum: 0 },
  [ScalarType.INT64]: { type: 'string', format: 'int64', pattern: LONG },
  [ScalarType.SINT64]: { type: 'string', format: 'int64', pattern: LONG },
  [ScalarType.SFIXED64]: { type: 'string', format: 'int64', pattern: LONG },
  [ScalarType.UINT64]: { type: 'string', format: 'uint64', pattern: LONG },
  [ScalarType.FIXED64]: { type: 'string', format: 'uint64', pattern: LONG },
};
const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
};

/** Written in every answer: what the wire leaves out is shown with its default. */
const isAlwaysThere = (field: DescField): boolean =>
  field.oneof === undefined &&
  (field.fieldKind === 'list' ||
    field.fieldKind === 'map' ||
    (field.fieldKind !== 'message' && !field.proto.proto3Optional));

/** The schemas of messages, made as they are asked for. `inRequests` are the types that a client sends. */
export class Schemas {
  readonly made: Record<string, Schema> = {};
  readonly #comments: Comments;
  readonly #inRequests: ReadonlySet<string>;

  constructor(comments: Comments, inRequests: ReadonlySet<string>) {
    this.#comments = comments;
    this.#inRequests = inRequests;
  }
  words(name: string): { readonly description?: string } {
    const description = this.#comments[name];
    return description === undefined ? {} : { description };
  }
  fieldWords(field: DescField): { readonly description?: string } {
    return this.words(`${field.parent.typeName}.${field.name}`);
  }
  of(type: DescMessage | DescEnum): Schema {
    const known = WELL_KNOWN[type.typeName];
    if (known) return known;
    // Registered before its fields are looked at: a type may contain itself.
    if (!this.made[type.typeName]) {
      this.made[type.typeName] = {};
      this.made[type.typeName] = type.kind === 'enum' ? this.#enum(type) : this.#message(type);
    }
    return { $ref: `#/components/schemas/${type.typeName}` };
  }
  field(field: DescField): Schema {
    const one = this.#one(field);
    if (field.fieldKind === 'list') return { type: 'array', items: one };
    return field.fieldKind === 'map' ? { type: 'object', additionalProperties: one } : one;
  }
  #one(field: DescField): Schema {
    if (field.message) return this.of(field.message);
    return field.enum ? this.of(field.enum) : SCALARS[field.scalar];
  }
  #enum(type: DescEnum): Schema {
    const said = type.values.flatMap(({ name }) => {
      const words = this.#comments[`${type.typeName}.${name}`];
      return words === undefined ? [] : [`${name}: ${words}`];
    });
    const description = [this.#comments[type.typeName], ...said].filter((one) => one !== undefined).join(' ');
    return {
      type: 'string',
      enum: type.values.map(({ name }) => name),
      ...(description === '' ? {} : { description }),
    };
  }
  #message(type: DescMessage): Schema {
    const required = this.#inRequests.has(type.typeName)
      ? []
      : type.fields.filter(isAlwaysThere).map(({ jsonName }) => jsonName);
    const choices = type.oneofs
      .filter(({ fields }) => fields.length > 1)
      .map(({ fields }) => `At most one of these is given: ${fields.map((one) => one.jsonName).join(', ')}.`);
    const description = [this.#comments[type.typeName], ...choices].filter((one) => one !== undefined);
    return {
      type: 'object',
      ...(description.length === 0 ? {} : { description: description.join(' ') }),
      properties: Object.fromEntries(
        type.fields.map((field) => [field.jsonName, { ...this.field(field), ...this.fieldWords(field) }]),
      ),
      ...(required.length === 0 ? {} : { required }),
    };
  }
}

/** All message types that the given ones contain, themselves included. */
export const typesWithin = (types: readonly DescMessage[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const visit = (type: DescMessage): void => {
    if (seen.has(type.typeName)) return;
    seen.add(type.typeName);
    for (const field of type.fields) if (field.message) visit(field.message);
  };
  types.forEach(visit);
  return seen;
};

import {
  fromJson,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import type { Violation } from '@doska/core/kernel';
import { fieldNamed } from './bindings.ts';

/** More are not looked for. */
const VIOLATIONS_MAX = 100;
/** Of an unknown name that is repeated to the client. */
const NAME_MAX = 100;

const isObject = (json: JsonValue): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
const isPlain = (message: DescMessage): boolean => !message.typeName.startsWith('google.protobuf.');

/** What protobuf's own reader says, without the name of the field: the path has it. */
const wordsOf = (cause: unknown): string => {
  const said = cause instanceof Error ? cause.message : String(cause);
  return said.replace(/^cannot decode .* from JSON: /, '').slice(0, 200);
};

/** Whether the field alone can be read from this value. */
const readAlone = (field: DescField, json: JsonValue): string | undefined => {
  try {
    fromJson(field.parent, { [field.jsonName]: json });
    return undefined;
  } catch (cause) {
    return wordsOf(cause);
  }
};

class Search {
  readonly found: Violation[] = [];
  add(path: string, code: string, message: string): void {
    if (this.found.length < VIOLATIONS_MAX) this.found.push({ path, code, message });
  }
  message(type: DescMessage, json: JsonValue, path: string): void {
    if (!isObject(json)) return this.add(path, 'WrongType', 'an object is expected');
    const seen = new Set<DescField>();
    for (const [key, value] of Object.entries(json)) {
      const field = fieldNamed(type, key);
      if (!field) this.add(join(path, key.slice(0, NAME_MAX)), 'UnknownField', 'there is no such field');
      else if (seen.has(field)) this.add(join(path, field.name), 'Duplicate', 'it is given twice');
      else {
        seen.add(field);
        this.field(field, value, join(path, field.name));
      }
    }
    for (const { fields } of type.oneofs) {
      const given = fields.filter((field) => seen.has(field));
      const [, second] = given;
      if (second)
        this.add(join(path, second.name), 'Duplicate', `${given[0]!.name} is given too: one of them may be`);
    }
  }
  field(field: DescField, json: JsonValue, path: string): void {
    if (json === null && field.fieldKind !== 'list') return;
    if (field.fieldKind === 'message' && isPlain(field.message))
      return this.message(field.message, json, path);
    if (field.fieldKind === 'list' && Array.isArray(json)) return this.list(field, json, path);
    const words = readAlone(field, json);
    if (words !== undefined) this.add(path, 'WrongValue', words);
  }
  list(field: DescField & { readonly fieldKind: 'list' }, items: readonly JsonValue[], path: string): void {
    for (const [i, item] of items.entries()) {
      if (this.found.length >= VIOLATIONS_MAX) return;
      const at = `${path}[${i}]`;
      if (field.listKind === 'message' && isPlain(field.message)) this.message(field.message, item, at);
      else {
        const words = readAlone(field, [item]);
        if (words !== undefined) this.add(at, 'WrongValue', words);
      }
    }
  }
}

/** Why a JSON is not a message of the type: every place that is wrong, named as in the contract. */
export const jsonViolations = (type: DescMessage, json: JsonValue): readonly Violation[] => {
  const search = new Search();
  search.message(type, json, '');
  if (search.found.length === 0) search.add('', 'WrongValue', 'the request is not a message of this type');
  return search.found;
};

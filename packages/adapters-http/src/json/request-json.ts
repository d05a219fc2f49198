import {
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from '@bufbuild/protobuf';
import { invalidInputOf, type InvalidInput, type Violation } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { fieldNamed, fitsQuery, type Binding } from './bindings.ts';

const NAME_MAX = 100;
const violation = (path: string, code: string, message: string): Violation => ({ path, code, message });

/** A text of a path or a query as the JSON that it stands for. What is wrong is found when the message is read. */
const valueOf = (field: DescField, text: string): JsonValue => {
  if (field.scalar === ScalarType.BOOL && (text === 'true' || text === 'false')) return text === 'true';
  if (field.enum && /^-?\d{1,10}$/.test(text)) return Number(text);
  return text;
};

/** Puts the values of a parameter where its name says: `owner.user_id` is a field of a field. */
const put = (
  message: DescMessage,
  json: JsonObject,
  name: string,
  values: readonly string[],
  whole = name,
): Violation | undefined => {
  const dot = name.indexOf('.');
  const head = dot < 0 ? name : name.slice(0, dot);
  const field = fieldNamed(message, head);
  const said = whole.slice(0, NAME_MAX);
  if (!field || !fitsQuery(field)) return violation(said, 'UnknownField', 'there is no such parameter');
  if (dot >= 0) {
    if (field.fieldKind !== 'message') return violation(said, 'UnknownField', 'there is no such parameter');
    const inner = (json[field.jsonName] ??= {});
    return put(field.message, inner as JsonObject, name.slice(dot + 1), values, whole);
  }
  if (field.jsonName in json) return violation(said, 'Duplicate', 'it is given twice');
  if (field.fieldKind === 'list') {
    json[field.jsonName] = values.map((text) => valueOf(field, text));
    return undefined;
  }
  if (values.length > 1) return violation(said, 'Duplicate', 'it is given twice');
  json[field.jsonName] = valueOf(field, values[0]!);
  return undefined;
};

const fromQuery = (binding: Binding, json: JsonObject, query: string): readonly Violation[] => {
  if (query === '') return [];
  const given = new URLSearchParams(query);
  const found: Violation[] = [];
  for (const name of new Set(given.keys())) {
    const wrong =
      binding.body === '*'
        ? violation(name.slice(0, NAME_MAX), 'UnknownField', 'this method takes everything in its body')
        : put(binding.method.input, json, name, given.getAll(name));
    if (wrong) found.push(wrong);
  }
  return found;
};

/** What the path says wins nothing: the same field may be said again only with the same value. */
const fromPath = (binding: Binding, json: JsonObject, values: readonly string[]): readonly Violation[] => {
  const found: Violation[] = [];
  for (const [i, field] of binding.inPath.entries()) {
    const value = valueOf(field, values[i]!);
    for (const key of new Set([field.jsonName, field.name]))
      if (Object.hasOwn(json, key)) {
        if (json[key] !== value)
          found.push(violation(field.name, 'Contradiction', 'the path says something else'));
        delete json[key];
      }
    json[field.jsonName] = value;
  }
  return found;
};

/** The request as one JSON object: path, query and body together. */
export const requestJson = (
  binding: Binding,
  values: readonly string[],
  query: string,
  body: JsonValue | undefined,
): Result<JsonObject, InvalidInput> => {
  const json: JsonObject = {};
  if (binding.body === '*') {
    if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body)))
      return err(invalidInputOf([violation('', 'WrongType', 'an object is expected')]));
    // Not by assignment: a key such as __proto__ must stay a key.
    for (const [key, value] of Object.entries(body ?? {}))
      Object.defineProperty(json, key, { value, enumerable: true, writable: true, configurable: true });
  } else if (binding.body !== undefined && body !== undefined) json[binding.body.jsonName] = body;
  const found = [...fromQuery(binding, json, query), ...fromPath(binding, json, values)];
  return found.length > 0 ? err(invalidInputOf(found)) : ok(json);
};

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** What a request needs of a route of a contract. */
export type RouteOf = {
  readonly verb: string;
  readonly template: { readonly text: string };
  readonly inPath: readonly { readonly name: string; readonly jsonName: string }[];
  readonly body: '*' | { readonly jsonName: string } | undefined;
};
export type HttpInput = { readonly path: string; readonly method: string; readonly body?: string };

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
const appendTo = (query: URLSearchParams, name: string, value: JsonValue): void => {
  if (Array.isArray(value)) for (const one of value) query.append(name, textOf(one));
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) appendTo(query, `${name}.${key}`, inner);
  else query.append(name, textOf(value));
};

/** The request of a route that says the same as the JSON. */
export const httpInput = ({ verb, template, inPath, body }: RouteOf, json: JsonObject): HttpInput => {
  const rest = { ...json };
  let path = template.text;
  for (const { name, jsonName } of inPath) {
    path = path.replace(
      `{${name}}`,
      encodeURIComponent(textOf(rest[jsonName] ?? '').replace(/\p{Surrogate}/gu, '')),
    );
    delete rest[jsonName];
  }
  if (body === '*') return { path, method: verb, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  const inBody = body && rest[body.jsonName];
  for (const [name, value] of Object.entries(rest)) if (name !== body?.jsonName) appendTo(query, name, value);
  const target = query.size > 0 ? `${path}?${query.toString()}` : path;
  return { path: target, method: verb, ...(inBody === undefined ? {} : { body: JSON.stringify(inBody) }) };
};

/** A query can't say that a message is there and empty. */
export const withoutEmpty = (json: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(json)
      .map(([key, value]): [string, JsonValue] => [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value) ? withoutEmpty(value) : value,
      ])
      .filter(
        ([, value]) =>
          typeof value !== 'object' ||
          value === null ||
          Array.isArray(value) ||
          Object.keys(value).length > 0,
      ),
  );

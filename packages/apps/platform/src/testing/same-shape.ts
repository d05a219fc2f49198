import { isDeepStrictEqual } from 'node:util';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Shorter texts are numbers and words, not ids. */
const ID_LENGTH = 8;

const kindOf = (json: Json): string => {
  if (json === null) return 'null';
  return Array.isArray(json) ? 'array' : typeof json;
};

/**
 * Compares a real answer with an example: it must have everything that the example has, of the same type. Texts may differ
 * (ids, times); `renamed` then remembers which real one stands for the one in the example.
 */
export const differences = (
  example: Json,
  real: Json | undefined,
  renamed: Map<string, string>,
  path = '',
): readonly string[] => {
  if (real === undefined) return [`${path} is not there`];
  if (kindOf(example) !== kindOf(real)) return [`${path} is of type ${kindOf(real)}`];
  if (typeof example === 'string' && example.length >= ID_LENGTH && example !== real)
    renamed.set(example, real as string);
  if (typeof example !== 'object' || example === null || isDeepStrictEqual(example, real)) return [];
  if (Array.isArray(example))
    return example.length === 0
      ? []
      : differences(example[0] as Json, (real as readonly Json[])[0], renamed, `${path}[0]`);
  return Object.entries(example).flatMap(([key, value]) =>
    differences(value, (real as { readonly [key: string]: Json })[key], renamed, `${path}.${key}`),
  );
};

/** Puts the real texts where the example has its own. */
export const renamedIn = (json: unknown, renamed: ReadonlyMap<string, string>): unknown => {
  if (typeof json === 'string') return renamed.get(json) ?? json;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((one) => renamedIn(one, renamed));
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, renamedIn(value, renamed)]));
};

import type { SaxesTagPlain } from 'saxes';
import { textMistake, type ElementType } from './schema.ts';

export type Attributes = SaxesTagPlain['attributes'];
export type AttributeMistake = {
  readonly name: string;
  readonly message: string;
  readonly value: string | undefined;
};

const SCHEMA_INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const PLACES = new Set(['schemaLocation', 'noNamespaceSchemaLocation']);
/** Prefixes that the attributes bind to the namespace of schema places. */
export const schemaPrefixes = (attributes: Attributes): ReadonlySet<string> =>
  new Set(
    Object.entries(attributes).flatMap(([name, value]) =>
      name.startsWith('xmlns:') && value === SCHEMA_INSTANCE ? [name.slice('xmlns:'.length)] : [],
    ),
  );
/** Declared prefixes and places of schemas may stand anywhere. The elements of a feed have no namespace. */
const isOfXml = (name: string, value: string, prefixes: ReadonlySet<string>): boolean => {
  if (name === 'xmlns') return value === '';
  if (name.startsWith('xmlns:')) return true;
  const [prefix = '', local = ''] = name.split(':');
  return prefixes.has(prefix) && PLACES.has(local);
};

const NONE: readonly AttributeMistake[] = [];
/** What the schema has against the attributes of an element. */
export const attributeMistakes = (
  attributes: Attributes,
  { attributes: uses }: ElementType,
  prefixes: ReadonlySet<string>,
): readonly AttributeMistake[] => {
  const names = Object.keys(attributes);
  // Most elements have no attributes, and each of millions comes by here.
  if (names.length === 0 && uses.size === 0) return NONE;
  const mistakes: AttributeMistake[] = [];
  for (const [name, { type, isRequired }] of uses) {
    const value = attributes[name];
    const message =
      value !== undefined ? textMistake(value, type) : isRequired ? 'this attribute is required' : undefined;
    if (message !== undefined) mistakes.push({ name, message, value });
  }
  for (const name of names) {
    const value = attributes[name]!;
    if (!uses.has(name) && !isOfXml(name, value, prefixes))
      mistakes.push({
        name,
        value,
        message:
          name === 'xmlns' ? 'elements of a feed have no namespace' : 'the schema has no such attribute',
      });
  }
  return mistakes;
};

import { err, ok, type Result } from 'neverthrow';
import type { KnownParts } from '../config/known-parts.ts';
import type { JsonSchemas, SnippetParts } from './snippet-parts.ts';

export type PartsRegistry = Required<SnippetParts>;
export type PartTwice = { readonly kind: 'PartTwice'; readonly what: string; readonly name: string };

const KINDS = ['validators', 'convertors', 'extractors'] as const;

/** Joins the parts of several modules. A name that two modules register is an error. */
export const joinParts = (modules: readonly SnippetParts[]): Result<PartsRegistry, PartTwice> => {
  const joined: Record<(typeof KINDS)[number], Record<string, never>> = {
    validators: {},
    convertors: {},
    extractors: {},
  };
  for (const parts of modules)
    for (const what of KINDS)
      for (const [name, part] of Object.entries(parts[what] ?? {})) {
        if (Object.hasOwn(joined[what], name)) return err({ kind: 'PartTwice', what, name });
        joined[what][name] = part as never;
      }
  return ok(joined);
};

/** The names that a config may use with these parts. */
export const knownParts = (
  { validators, convertors, extractors }: PartsRegistry,
  schemas: Pick<JsonSchemas, 'has'>,
  services: readonly string[],
): KnownParts => ({
  hasService: (name) => services.includes(name),
  hasSchema: (name) => schemas.has(name),
  hasValidator: (name) => Object.hasOwn(validators, name),
  convertor: (name) => (Object.hasOwn(convertors, name) ? convertors[name] : undefined),
  extractor: (name) => (Object.hasOwn(extractors, name) ? extractors[name] : undefined),
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Violation } from '@doska/core/kernel';
import type { JsonSchemas } from '@doska/core/snippets';
import { Ajv, type ValidateFunction } from 'ajv';
import draft04 from 'ajv-draft-04';
import { err, ok, type Result } from 'neverthrow';
import { fromDraft03 } from './draft-03.ts';
import { hasNestedRepetition } from './patterns.ts';

/** Every mistake with its file. */
export type WrongSchemas = { readonly kind: 'WrongSchemas'; readonly mistakes: readonly string[] };
type SchemaFile = { readonly file: string; readonly schema: object; readonly draft: 3 | 4 | 7 };

const DRAFTS: Readonly<Record<string, 3 | 4 | 7>> = {
  'http://json-schema.org/draft-03/schema': 3,
  'http://json-schema.org/draft-04/schema': 4,
  'http://json-schema.org/draft-06/schema': 7,
  'http://json-schema.org/draft-07/schema': 7,
};
/** In the same file, or in another file of the folder. */
const REF = /^(?:[A-Za-z0-9_.-]+\.json)?(?:#.*)?$/;
const OPTIONS = {
  strict: false,
  validateFormats: false,
  ownProperties: true,
  allErrors: false,
  logger: false,
} as const;

/** A CommonJS module: its class is the default export of its default export. */
const AjvDraft04 = (draft04 as unknown as { readonly default: typeof Ajv }).default;

/** Calls `visit` for every object of a schema, also for those in `enum`: a pattern there is refused too, which is harmless. */
const walk = (value: unknown, visit: (schema: Readonly<Record<string, unknown>>) => void): void => {
  if (Array.isArray(value)) return value.forEach((one) => walk(one, visit));
  if (typeof value !== 'object' || value === null) return;
  visit(value as Readonly<Record<string, unknown>>);
  Object.values(value).forEach((one) => walk(one, visit));
};
const mistakesOf = (schema: unknown): readonly string[] => {
  const mistakes: string[] = [];
  walk(schema, ({ pattern, patternProperties, $ref }) => {
    const properties =
      typeof patternProperties === 'object' && patternProperties !== null
        ? Object.keys(patternProperties)
        : [];
    for (const text of [pattern, ...properties])
      if (typeof text === 'string' && hasNestedRepetition(text))
        mistakes.push(
          `the pattern "${text}" has a repetition inside a repetition, which can run for minutes`,
        );
    if (typeof $ref === 'string' && !REF.test($ref)) mistakes.push(`the $ref "${$ref}" leaves the folder`);
  });
  return mistakes;
};

const readSchema = async (folder: string, file: string): Promise<Result<SchemaFile, readonly string[]>> => {
  let schema: unknown;
  try {
    schema = JSON.parse(await readFile(join(folder, file), 'utf8'));
  } catch (cause) {
    return err([cause instanceof SyntaxError ? 'not JSON' : String(cause)]);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return err(['a schema is an object']);
  const { $schema } = schema as { readonly $schema?: unknown };
  const named = typeof $schema === 'string' ? $schema : JSON.stringify($schema);
  const draft = named === undefined ? 4 : DRAFTS[named.replace(/#$/, '')];
  if (draft === undefined) return err([`unknown $schema "${named}"`]);
  const mistakes = mistakesOf(schema);
  return mistakes.length > 0 ? err(mistakes) : ok({ file, draft, schema });
};

const withoutDraft = (schema: object): object => {
  const { $schema: _draft, id: _id, $id: _newId, ...rest } = schema as Readonly<Record<string, unknown>>;
  return rest;
};

/** Compiles schemas of drafts that can refer to each other. */
const compiled = (
  ajv: Ajv,
  files: readonly SchemaFile[],
  validators: Map<string, ValidateFunction>,
  mistakes: string[],
): void => {
  // Files are known by their names, whatever id they give themselves.
  for (const { file, schema, draft } of files)
    ajv.addSchema(
      withoutDraft((draft === 3 ? fromDraft03(schema) : schema) as object),
      file,
      undefined,
      false,
    );
  for (const { file } of files) {
    try {
      const validate = ajv.getSchema(file);
      if (ajv.validateSchema(ajv.schemas[file]!.schema) !== true)
        mistakes.push(`${file}: ${ajv.errorsText()}`);
      else if (validate) validators.set(file.replace(/\.json$/, ''), validate);
    } catch (cause) {
      mistakes.push(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
};

const violationsOf = (validate: ValidateFunction, value: unknown): readonly Violation[] => {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, message }) => ({
    path: instancePath,
    code: keyword,
    message: message ?? 'does not match the schema',
  }));
};

/** Reads and compiles every `*.json` of the folder. */
export const loadSchemas = async (folder: string): Promise<Result<JsonSchemas, WrongSchemas>> => {
  let names: readonly string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (cause) {
    return err({ kind: 'WrongSchemas', mistakes: [`${folder}: ${(cause as NodeJS.ErrnoException).code}`] });
  }
  const mistakes: string[] = [];
  const files: SchemaFile[] = [];
  for (const name of names) {
    const read = await readSchema(folder, name);
    if (read.isOk()) files.push(read.value);
    else mistakes.push(...read.error.map((one) => `${name}: ${one}`));
  }
  const validators = new Map<string, ValidateFunction>();
  if (mistakes.length === 0) {
    compiled(
      new AjvDraft04(OPTIONS),
      files.filter(({ draft }) => draft !== 7),
      validators,
      mistakes,
    );
    compiled(
      new Ajv(OPTIONS),
      files.filter(({ draft }) => draft === 7),
      validators,
      mistakes,
    );
  }
  if (mistakes.length > 0) return err({ kind: 'WrongSchemas', mistakes });
  const nameOf = (name: string): string => name.replace(/\.json$/, '');
  return ok({
    has: (name) => validators.has(nameOf(name)),
    violations: (name, value) => violationsOf(validators.get(nameOf(name))!, value),
  });
};

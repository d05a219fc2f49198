import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { messageParts } from '@doska/adapters-proto';
import { loadSchemas } from '@doska/adapters-schema';
import { listed, startProblem, type StartProblem } from '@doska/app-composition';
import {
  builtInParts,
  joinParts,
  livePrefixes,
  noSchemas,
  readPrefixes,
  type ConfigSource,
  type JsonSchemas,
  type PartsRegistry,
  type SnippetParts,
} from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';
import type { SnippetsConfig } from './tokens.ts';

/** The sample configuration; the same place seen from `src` and from `dist`. */
export const SAMPLE_DIR = fileURLToPath(new URL('../../samples/snippets/', import.meta.url));
const PREFIXES = 'key_prefixes.txt';

/** Where the configuration, the prefixes and the schemas are. Undefined: there is none. */
export type SnippetFiles =
  { readonly config: string; readonly prefixes: string; readonly schemas: string | undefined } | undefined;
export const snippetFiles = (
  { config, prefixes, schemas }: Pick<SnippetsConfig, 'config' | 'prefixes' | 'schemas'>,
  isEmbedded: boolean,
): SnippetFiles => {
  const file = config ?? (isEmbedded ? join(SAMPLE_DIR, 'config.pb.txt') : undefined);
  if (file === undefined) return undefined;
  const beside = join(dirname(file), 'schemas');
  return {
    config: file,
    prefixes: prefixes ?? join(dirname(file), PREFIXES),
    schemas: schemas ?? (existsSync(beside) ? beside : undefined),
  };
};

const textOf = async (variable: string, file: string): Promise<Result<string, StartProblem>> => {
  try {
    const bytes = await readFile(file);
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    return err(startProblem(`${variable}: ${file}: ${code ?? 'the file is not UTF-8'}`));
  }
};

/** Reads the configuration and the prefixes, without checking the configuration. */
export const readSnippetFiles = async (files: SnippetFiles): Promise<Result<ConfigSource, StartProblem>> => {
  if (!files) return ok({ text: '', prefixes: new Map() });
  const text = await textOf('DOSKA_SNIPPETS_CONFIG', files.config);
  if (text.isErr()) return err(text.error);
  const lines = await textOf('DOSKA_SNIPPETS_PREFIXES', files.prefixes);
  if (lines.isErr()) return err(lines.error);
  return readPrefixes(lines.value)
    .map((prefixes) => ({ text: text.value, prefixes: livePrefixes(prefixes) }))
    .mapErr(({ mistakes }) => startProblem(...mistakes.map((one) => `${files.prefixes}: ${one}`)));
};

const importable = (name: string): string =>
  name.startsWith('.') || isAbsolute(name) ? pathToFileURL(resolve(name)).href : name;
const problemOf = (name: string, cause: unknown): StartProblem =>
  startProblem(`DOSKA_SNIPPETS_MODULES: ${name}: ${cause instanceof Error ? cause.message : String(cause)}`);

const readMessageParts = async (file: string): Promise<Result<SnippetParts, StartProblem>> => {
  const wrong = (words: string): Result<never, StartProblem> =>
    err(startProblem(`DOSKA_SNIPPETS_DESCRIPTORS: ${file}: ${words}`));
  try {
    const made = messageParts(await readFile(file));
    return made.isOk() ? ok(made.value) : wrong(`no descriptor set: ${made.error.message}`);
  } catch (cause) {
    return wrong((cause as NodeJS.ErrnoException).code ?? 'can not be read');
  }
};

/** The built-in parts, those of the modules and those of the descriptor set. A module exports `snippetParts`. */
export const loadParts = async ({
  modules,
  descriptors,
}: Pick<SnippetsConfig, 'modules' | 'descriptors'>): Promise<Result<PartsRegistry, StartProblem>> => {
  const parts: SnippetParts[] = [builtInParts];
  if (descriptors !== undefined) {
    const messages = await readMessageParts(descriptors);
    if (messages.isErr()) return err(messages.error);
    parts.push(messages.value);
  }
  for (const name of listed(modules)) {
    try {
      const { snippetParts } = (await import(importable(name))) as { readonly snippetParts?: SnippetParts };
      if (typeof snippetParts !== 'object' || snippetParts === null)
        return err(problemOf(name, 'the module has no export "snippetParts"'));
      parts.push(snippetParts);
    } catch (cause) {
      return err(problemOf(name, cause));
    }
  }
  return joinParts(parts).mapErr(({ what, name }) =>
    startProblem(`DOSKA_SNIPPETS_MODULES: two modules register "${name}" in ${what}`),
  );
};

/** Compiles the schemas of the folder. Without a folder there are none. */
export const readSchemas = async (files: SnippetFiles): Promise<Result<JsonSchemas, StartProblem>> =>
  files?.schemas === undefined
    ? ok(noSchemas)
    : (await loadSchemas(files.schemas)).mapErr(({ mistakes }) =>
        startProblem(...mistakes.map((one) => `DOSKA_SNIPPETS_SCHEMAS: ${one}`)),
      );

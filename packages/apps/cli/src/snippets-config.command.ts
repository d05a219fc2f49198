import { readFile, rename, writeFile } from 'node:fs/promises';
import { listed } from '@doska/app-composition';
import {
  loadParts,
  readSchemas,
  readSnippetFiles,
  snippetFiles,
  type SnippetFiles,
} from '@doska/app-wiring/snippets';
import type { DoskaConfig } from '@doska/app-wiring';
import {
  addPrefixes,
  defaultSnippetSettings,
  describeMistake,
  explainSection,
  loadConfig,
  livePrefixes,
  readPrefixes,
  retirePrefix,
  storedSections,
  writePrefixes,
  type JsonSchemas,
  type KeyPrefixes,
  type LoadedConfig,
  type PrefixPlace,
  type SnippetSettings,
  type WrongConfig,
} from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { configured } from './platform.ts';

export type SnippetFileOptions = {
  readonly config?: string;
  readonly prefixes?: string;
  readonly service?: string;
};
type Files = NonNullable<SnippetFiles>;

const wrong = (file: string, { mistakes }: WrongConfig): CommandProblem =>
  problem(mistakes.map((one) => `${file}: ${describeMistake(one)}`).join('\n'), EXIT.refused);

const settled = (
  options: SnippetFileOptions,
): Result<{ readonly files: Files; readonly config: DoskaConfig }, CommandProblem> =>
  configured().andThen((platform) => {
    const config = platform as DoskaConfig;
    const asked = {
      config: options.config ?? config.snippets.config,
      prefixes: options.prefixes ?? config.snippets.prefixes,
      schemas: config.snippets.schemas,
    };
    const files = snippetFiles(asked, config.profile === 'embedded');
    return files
      ? ok({ files, config })
      : err(problem('Name the configuration by --config or DOSKA_SNIPPETS_CONFIG.', EXIT.usage));
  });

const settingsOf = ({ snippets }: DoskaConfig): SnippetSettings => ({
  ...defaultSnippetSettings,
  services: listed(snippets.services),
  sharesRootPath: snippets.path === '/',
});

/** Reads and checks the configuration with everything that it names. */
export const loadSnippetFiles = async (
  options: SnippetFileOptions,
): Promise<
  Result<
    {
      readonly file: string;
      readonly loaded: LoadedConfig;
      readonly schemas: JsonSchemas;
      readonly settings: SnippetSettings;
    },
    CommandProblem
  >
> => {
  const found = settled(options);
  if (found.isErr()) return err(found.error);
  const { files, config } = found.value;
  const parts = await loadParts(config.snippets);
  if (parts.isErr()) return err(problem(parts.error.lines.join('\n'), EXIT.config));
  const source = await readSnippetFiles(files);
  if (source.isErr()) return err(problem(source.error.lines.join('\n'), EXIT.refused));
  const schemas = await readSchemas(files);
  if (schemas.isErr()) return err(problem(schemas.error.lines.join('\n'), EXIT.refused));
  const settings = settingsOf(config);
  return loadConfig(source.value, { parts: parts.value, schemas: schemas.value }, settings)
    .map((one) => ({ file: files.config, loaded: one, schemas: schemas.value, settings }))
    .mapErr((error) => wrong(files.config, error));
};

/** Whether the configuration is right. It needs no platform. */
export const snippetsCheck = async (options: SnippetFileOptions): Promise<CommandResult> =>
  (await loadSnippetFiles(options)).map(({ file, loaded: { config } }) => {
    const warnings = config.warnings.map((one) => `${file}: warning: ${describeMistake(one)}`);
    const value = { sections: config.sections.size, warnings };
    return { value, text: [...warnings, `right: ${value.sections} sections`].join('\n') };
  });

const shown = (value: unknown): string => {
  if (value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : `${value as string}`;
};

/** Each option of a section, with the section and the line that set it. */
export const snippetsExplain = async (name: string, options: SnippetFileOptions): Promise<CommandResult> =>
  (await loadSnippetFiles(options)).andThen(({ file, loaded: { config } }) => {
    const explained = explainSection(config, name);
    if (!explained) return err(problem(`${file} has no section "${name}".`, EXIT.refused));
    const rows = explained
      .filter(({ from }) => from !== undefined)
      .map(({ option, value, from, place }) => ({
        option,
        value: shown(value),
        from: from === '' ? '(root)' : from,
        line: place?.line,
      }));
    const targets = config.sections.get(name)?.targets.map((leaf) => leaf.name) ?? [];
    const works =
      targets.length > 0 ? `an operation runs on: ${targets.join(', ')}` : 'an operation can do nothing';
    return ok({
      value: { name, options: explained, targets },
      text: `${table(['option', 'value', 'from', 'line'], rows)}\n${works}`,
    });
  });

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
};

/** A half-written file would lose prefixes that were given. */
const replaceFile = async (file: string, text: string): Promise<void> => {
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, text, { flag: 'wx' });
  await rename(draft, file);
};

const prefixesOf = async (
  options: SnippetFileOptions,
): Promise<
  Result<{ readonly file: string; readonly given: KeyPrefixes; readonly config: DoskaConfig }, CommandProblem>
> => {
  const found = settled(options);
  if (found.isErr()) return err(found.error);
  const { files, config } = found.value;
  return readPrefixes((await textOf(files.prefixes)) ?? '')
    .map((given) => ({ file: files.prefixes, given, config }))
    .mapErr(({ mistakes }) =>
      problem(mistakes.map((one) => `${files.prefixes}: ${one}`).join('\n'), EXIT.refused),
    );
};

/** Where a section stores its snippets, by the file of prefixes. The section need not be configured any more. */
export const placeOfSection = async (
  name: string,
  { service, ...options }: SnippetFileOptions,
): Promise<Result<PrefixPlace, CommandProblem>> =>
  (await prefixesOf(options)).andThen(({ file, given, config }) => {
    const kps = livePrefixes(given).get(name);
    return kps === undefined
      ? err(problem(`${file} has no prefix for "${name}".`, EXIT.refused))
      : ok({ service: service ?? listed(config.snippets.services)[0]!, kps });
  });

/** Marks the prefix of a section as retired in the file. */
export const retireInFile = async (name: string, options: SnippetFileOptions): Promise<CommandResult> => {
  const read = await prefixesOf(options);
  if (read.isErr()) return err(read.error);
  const { file, given } = read.value;
  const retired = retirePrefix(given, name);
  if (!retired) return err(problem(`${file} has no prefix for "${name}".`, EXIT.refused));
  await replaceFile(file, writePrefixes(retired));
  return ok({ value: { retired: name }, text: `retired: ${name}` });
};

/** Gives sections without a key prefix the next ones and writes the file. With `check` it only says which are missing. */
export const snippetsPrefixes = async ({
  check = false,
  ...options
}: SnippetFileOptions & { readonly check?: boolean }): Promise<CommandResult> => {
  const found = settled(options);
  if (found.isErr()) return err(found.error);
  const { files } = found.value;
  const text = await textOf(files.config);
  if (text === undefined) return err(problem(`${files.config}: there is no such file`, EXIT.usage));
  const sections = storedSections(text);
  if (sections.isErr()) return err(wrong(files.config, sections.error));
  const given = readPrefixes((await textOf(files.prefixes)) ?? '');
  if (given.isErr())
    return err(
      problem(given.error.mistakes.map((one) => `${files.prefixes}: ${one}`).join('\n'), EXIT.refused),
    );
  const { prefixes, added } = addPrefixes(given.value, sections.value);
  const lines = added.map(({ kps, name }) => `${kps} ${name}`);
  if (added.length === 0) return ok({ value: { added: [] }, text: 'every section has a prefix' });
  if (check)
    return err(
      problem(
        `${files.prefixes}: without a prefix: ${added.map(({ name }) => name).join(', ')}`,
        EXIT.trouble,
      ),
    );
  await replaceFile(files.prefixes, writePrefixes(prefixes));
  return ok({ value: { added }, text: [`added to ${files.prefixes}:`, ...lines].join('\n') });
};

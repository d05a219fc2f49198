import type { z } from 'zod';
import type { ContextWiring } from '../context.ts';
import { settingGroups, type KnownSetting } from './schema.ts';
import { daysOrOff, yesOrNo } from './setting.ts';

export type SettingRow = {
  readonly env: string;
  readonly values: string;
  /** What applies when the setting is not given. Never empty. */
  readonly fallback: string;
  readonly doc: string;
  readonly inReadme: boolean;
};

type Json = { readonly minimum?: number; readonly maximum?: number; readonly type?: string };
/** The parts of a zod schema's definition that are read here. */
type Definition = { readonly type: string; readonly defaultValue?: unknown; readonly innerType?: z.ZodType };

const definitionOf = (schema: z.ZodType): Definition => schema.def;
/** The schema without `.default()` and `.optional()`. */
const unwrapped = (schema: z.ZodType): z.ZodType => {
  const { type, innerType } = definitionOf(schema);
  return innerType && (type === 'default' || type === 'optional') ? unwrapped(innerType) : schema;
};
const withUnit = (value: unknown): string => {
  if (typeof value !== 'number') return String(value);
  if (value > 0 && value % 86_400_000 === 0) return `${value} (${value / 86_400_000} days)`;
  return value >= 1_048_576 && value % 1_048_576 === 0
    ? `${value} (${value / 1_048_576} MiB)`
    : String(value);
};
const fallbackOf = ({ schema, info }: KnownSetting): string => {
  const { type, defaultValue } = definitionOf(schema);
  return type === 'default' ? withUnit(defaultValue) : (info.otherwise ?? 'none');
};
const valuesOf = (schema: z.ZodType): string => {
  const inner = unwrapped(schema);
  if (inner === yesOrNo) return 'yes, no';
  if (inner === daysOrOff) return '`off`, 1 … 3650';
  const { options } = inner as { readonly options?: readonly string[] };
  if (options) return options.map((option) => `\`${option}\``).join(', ');
  const { type, minimum, maximum } = inner.toJSONSchema({ io: 'input' }) as Json;
  return type === 'integer' || type === 'number' ? `${minimum ?? ''} … ${maximum ?? ''}` : 'text';
};
const rowOf = (setting: KnownSetting): SettingRow => {
  const { env, doc, secret, inReadme = false } = setting.info;
  return {
    env,
    doc: secret ? `${doc} Secret.` : doc,
    values: valuesOf(setting.schema),
    fallback: fallbackOf(setting),
    inReadme,
  };
};

const rowGroups = (contexts: readonly ContextWiring[]) =>
  settingGroups(contexts).map(({ title, settings }) => ({ title, rows: settings.map(rowOf) }));
export const settingRows = (contexts: readonly ContextWiring[]): readonly SettingRow[] =>
  rowGroups(contexts).flatMap(({ rows }) => rows);

const table = (rows: readonly SettingRow[]): string =>
  [
    '| variable | default | values | description |',
    '|---|---|---|---|',
    ...rows.map(({ env, fallback, values, doc }) => `| \`${env}\` | ${fallback} | ${values} | ${doc} |`),
  ].join('\n');

/** The README's table: the settings that most installations need. */
export const readmeTable = (contexts: readonly ContextWiring[]): string =>
  table(settingRows(contexts).filter(({ inReadme }) => inReadme));

/** The tables of `docs/configuration.md`: every setting, one table per group. */
export const settingsTables = (contexts: readonly ContextWiring[]): string =>
  rowGroups(contexts)
    .map(({ title, rows }) => `## ${title}\n\n${table(rows)}`)
    .join('\n\n');

/** The settings as `--help` prints them. */
export const settingsHelp = (contexts: readonly ContextWiring[]): string => {
  const groups = rowGroups(contexts);
  const width = Math.max(...groups.flatMap(({ rows }) => rows.map(({ env }) => env.length))) + 2;
  const plain = (text: string): string => text.replaceAll('`', '');
  return groups
    .map(({ title, rows }) =>
      [
        `${title}:`,
        ...rows.map(({ env, doc, fallback }) => `  ${env.padEnd(width)}${plain(doc)} [${plain(fallback)}]`),
      ].join('\n'),
    )
    .join('\n\n');
};

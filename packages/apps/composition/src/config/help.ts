import type { z } from 'zod';
import { daysOrOff, infoOf, yesOrNo } from './setting.ts';
import { settings, type Settings } from './settings.ts';

export type SettingRow = {
  readonly env: string;
  readonly values: string;
  readonly fallback: string;
  readonly doc: string;
};

type Json = {
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly type?: string;
  readonly default?: unknown;
};

const jsonOf = (schema: z.ZodType): Json => {
  try {
    return schema.toJSONSchema({ io: 'input' }) as Json;
  } catch {
    return {};
  }
};
const bytesOrDays = (value: unknown): string => {
  if (typeof value !== 'number') return typeof value === 'string' ? value : '';
  if (value > 0 && value % 86_400_000 === 0) return `${value} (${value / 86_400_000} days)`;
  return value >= 1_048_576 && value % 1_048_576 === 0
    ? `${value} (${value / 1_048_576} MiB)`
    : String(value);
};
const unwrapped = (schema: z.ZodType): z.ZodType =>
  'unwrap' in schema && typeof schema.unwrap === 'function'
    ? unwrapped((schema.unwrap as () => z.ZodType)())
    : schema;
const valuesOf = (schema: z.ZodType, json: Json): string => {
  const inner = unwrapped(schema);
  if (inner === yesOrNo) return 'yes, no';
  if (inner === daysOrOff) return '`off`, 1 … 3650';
  const { options } = inner as { readonly options?: readonly string[] };
  if (options) return options.map((option) => `\`${option}\``).join(', ');
  if (json.type === 'integer' || json.type === 'number')
    return `${json.minimum ?? ''} … ${json.maximum ?? ''}`;
  return 'text';
};

/** One row a setting, in the schema's order. */
export const settingRows = (): readonly SettingRow[] =>
  (Object.keys(settings.shape) as (keyof Settings)[]).map((key) => {
    const schema = settings.shape[key] as z.ZodType;
    const { env, doc, secret } = infoOf(schema);
    const json = jsonOf(schema);
    return {
      env,
      doc: secret ? `${doc} Secret.` : doc,
      values: valuesOf(schema, json),
      fallback: bytesOrDays(json.default),
    };
  });

/** The README's table; a test compares the two. */
export const settingsTable = (): string =>
  [
    '| variable | default | values | what it is |',
    '|---|---|---|---|',
    ...settingRows().map(
      ({ env, fallback, values, doc }) => `| \`${env}\` | ${fallback} | ${values} | ${doc} |`,
    ),
  ].join('\n');

export const settingsHelp = (): string => {
  const rows = settingRows();
  const width = Math.max(...rows.map(({ env }) => env.length)) + 2;
  const plain = (text: string): string => text.replaceAll('`', '');
  return rows
    .map(({ env, doc, fallback }) => `  ${env.padEnd(width)}${plain(doc)}${fallback ? ` [${fallback}]` : ''}`)
    .join('\n');
};

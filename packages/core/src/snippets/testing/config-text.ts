import { DATA_FORMATS } from '../address/data-format.ts';
import type { KnownParts } from '../config/known-parts.ts';
import type { OwnOptions } from '../config/options.ts';
import { OPTIONS, type OptionName } from '../config/options.ts';

/** A section to write down: what a test or a generator says in short. */
export type PlainSection = {
  readonly name: string;
  readonly options?: OwnOptions;
  readonly sections?: readonly PlainSection[];
};

const literal = (name: OptionName, value: unknown): string => {
  const { kind } = OPTIONS[name];
  const isFormat = kind === 'format' || kind === 'formats';
  if (value === undefined) return isFormat ? 'unspecified' : kind === 'count' ? '0' : '""';
  if (Array.isArray(value)) return `[${value.map((one) => literal(name, one)).join(', ')}]`;
  return isFormat || typeof value !== 'string' ? `${value as number}` : JSON.stringify(value);
};
const optionLines = (options: OwnOptions, indent: string): string =>
  (Object.keys(options) as OptionName[])
    .map((name) => `${indent}${name}: ${literal(name, options[name])}\n`)
    .join('');

const sectionText = ({ name, options = {}, sections = [] }: PlainSection, indent: string): string =>
  `${indent}Section {\n${indent}  Name: ${JSON.stringify(name)}\n${indent}  Body {\n` +
  optionLines(options, `${indent}    `) +
  sections.map((one) => sectionText(one, `${indent}    `)).join('') +
  `${indent}  }\n${indent}}\n`;

/** The text of a config. `options` are those of the root section. */
export const configText = (options: OwnOptions, sections: readonly PlainSection[]): string =>
  `Body {\n${optionLines(options, '  ')}${sections.map((one) => sectionText(one, '  ')).join('')}}\n`;

/** Everything is known; the convertor `all` converts everything into any language. */
export const permissiveParts: KnownParts = {
  hasService: () => true,
  hasSchema: () => true,
  hasValidator: () => true,
  convertor: () => ({
    conversions: DATA_FORMATS.flatMap((from) => DATA_FORMATS.map((to) => ({ from, to }))),
    languages: 'any',
  }),
  extractor: () => ({ formats: DATA_FORMATS }),
};
/** Gives every name a prefix. */
export const anyPrefix = {
  get: (name: string): number => 1 + [...name].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1e9, 7),
} as ReadonlyMap<string, number>;

export const rootDefaults: OwnOptions = {
  ChildrenOnly: true,
  Service: 'snippets',
  Output: 'json',
  InputSameAsOutput: true,
};

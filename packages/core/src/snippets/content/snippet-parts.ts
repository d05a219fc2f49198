import type { Violation } from '../../kernel/index.ts';
import type { DataFormat } from '../address/data-format.ts';
import type { ConvertorDeclaration, ExtractorDeclaration } from '../config/known-parts.ts';

/** The section that a validator, convertor or extractor works for. */
export type SectionInfo = {
  readonly name: string;
  readonly output: DataFormat;
  /** The languages to make. Undefined: one content for the language of the request. */
  readonly languages: readonly string[] | undefined;
};
export type SnippetInput = {
  readonly format: DataFormat;
  readonly bytes: Uint8Array;
  /** The parsed value of json, else undefined. */
  readonly json: unknown;
  readonly key: string;
  /** Empty: none. */
  readonly language: string;
};
/** Content that a convertor made. `language` only where the section asks for languages. */
export type Converted = { readonly bytes: Uint8Array; readonly language?: string };
export type ConvertResult =
  | { readonly kind: 'converted'; readonly contents: readonly Converted[] }
  | { readonly kind: 'refused'; readonly violations: readonly Violation[] };
export type ExtractResult =
  | { readonly kind: 'found'; readonly key: string; readonly language?: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Returns what is wrong with the input. Empty: nothing. An exception is a bug: the request fails, the process goes on. */
export type Validator = (input: SnippetInput) => readonly Violation[] | Promise<readonly Violation[]>;
export type Convertor = (input: SnippetInput) => ConvertResult | Promise<ConvertResult>;
export type KeyExtractor = (input: Omit<SnippetInput, 'key' | 'language'>) => ExtractResult;

/**
 * Validators, convertors and extractors by name. `make` runs once for each section when a config is loaded. Other teams
 * register theirs in modules of their own.
 */
export type SnippetParts = {
  readonly validators?: Readonly<Record<string, { make(section: SectionInfo): Validator }>>;
  readonly convertors?: Readonly<
    Record<string, ConvertorDeclaration & { make(section: SectionInfo): Convertor }>
  >;
  readonly extractors?: Readonly<
    Record<string, ExtractorDeclaration & { make(section: Pick<SectionInfo, 'name'>): KeyExtractor }>
  >;
};

/** JSON schemas by name, compiled when the process starts. */
export interface JsonSchemas {
  has(name: string): boolean;
  /** What is wrong with the value by the schema. The name must be known. */
  violations(name: string, value: unknown): readonly Violation[];
}
export const noSchemas: JsonSchemas = { has: () => false, violations: () => [] };

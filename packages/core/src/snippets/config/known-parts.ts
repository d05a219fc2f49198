import type { DataFormat } from '../address/data-format.ts';

export type Conversion = { readonly from: DataFormat; readonly to: DataFormat };
/** What a convertor says about itself when it is registered. */
export type ConvertorDeclaration = {
  readonly conversions: readonly Conversion[];
  /** The languages that it can make, or `any`. Without it, it makes none. */
  readonly languages?: 'any' | readonly string[];
};
export type ExtractorDeclaration = { readonly formats: readonly DataFormat[] };

/** The names that a config may use. */
export type KnownParts = {
  readonly hasService: (name: string) => boolean;
  readonly hasSchema: (name: string) => boolean;
  readonly hasValidator: (name: string) => boolean;
  readonly convertor: (name: string) => ConvertorDeclaration | undefined;
  readonly extractor: (name: string) => ExtractorDeclaration | undefined;
};

/** Keeps the content as it is. It is the convertor of sections without `SpecialConvertor`. */
export const identityDeclaration = (output: DataFormat): ConvertorDeclaration => ({
  conversions: [{ from: output, to: output }],
});
export const canConvert = (
  { conversions }: ConvertorDeclaration,
  from: DataFormat,
  to: DataFormat,
): boolean => conversions.some((one) => one.from === from && one.to === to);
export const canMake = ({ languages = [] }: ConvertorDeclaration, language: string): boolean =>
  languages === 'any' || languages.includes(language);

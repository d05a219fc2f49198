import type { DataFormat } from '../address/data-format.ts';

type OptionRule = {
  readonly kind: 'flag' | 'text' | 'format' | 'count' | 'texts' | 'formats';
  /** Whether sections take it over from the section above them. */
  readonly inherited: boolean;
};

/** The options of a section as `doska/snippets/v1/config.proto` has them. */
export const OPTIONS = {
  ChildrenOnly: { kind: 'flag', inherited: true },
  Service: { kind: 'text', inherited: true },
  Output: { kind: 'format', inherited: true },
  InputJsonSchema: { kind: 'text', inherited: true },
  OutputJsonSchema: { kind: 'text', inherited: true },
  SpecialValidator: { kind: 'text', inherited: true },
  SpecialConvertor: { kind: 'text', inherited: true },
  Input: { kind: 'formats', inherited: true },
  InputSameAsOutput: { kind: 'flag', inherited: true },
  Recursive: { kind: 'texts', inherited: false },
  OutputLanguages: { kind: 'texts', inherited: true },
  TtlMinutes: { kind: 'count', inherited: true },
  // An inherited topic would be read once for every section below.
  InputTopic: { kind: 'text', inherited: false },
  InputForLB: { kind: 'format', inherited: true },
  KeyExtractor: { kind: 'text', inherited: true },
  UploadOverLBRetryCount: { kind: 'count', inherited: true },
} as const satisfies Record<string, OptionRule>;
export type OptionName = keyof typeof OPTIONS;
export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];
export const isOption = (name: string): name is OptionName => Object.hasOwn(OPTIONS, name);

type Values = {
  readonly flag: boolean;
  readonly text: string;
  readonly format: DataFormat;
  readonly count: number;
  readonly texts: readonly string[];
  readonly formats: readonly DataFormat[];
};
/** The value of an option. Undefined: an empty text, 0 or a list of one of these, which clear an inherited value. */
export type ValueOf<N extends OptionName> = Values[(typeof OPTIONS)[N]['kind']] | undefined;
/** What one section sets. An absent key is not set. */
export type OwnOptions = { readonly [N in OptionName]?: ValueOf<N> };

import type { Place } from '../text-format/source.ts';
import type { OptionName, OwnOptions } from './options.ts';

/** A section as it stands in the file. */
export type WrittenSection = {
  /** Relative to the section around it; may have slashes. Empty for the root. */
  readonly name: string;
  readonly place: Place;
  readonly options: OwnOptions;
  /** Where each option that is set stands. */
  readonly places: Readonly<Partial<Record<OptionName, Place>>>;
  readonly sections: readonly WrittenSection[];
};

export type MistakeCode =
  | 'Unreadable'
  | 'UnknownOption'
  | 'WrongValue'
  | 'RepeatedOption'
  | 'BadName'
  | 'DuplicateName'
  | 'PlatformPath'
  | 'UnknownName'
  | 'InputTwice'
  | 'Missing'
  | 'NoConvertor'
  | 'NotConvertible'
  | 'WrongSchema'
  | 'NotADescendant'
  | 'BadLanguage'
  | 'BadTopic'
  | 'NoPrefix'
  | 'PartFailed';
/** One mistake of a config. `section` is the absolute name, empty for the root. */
export type ConfigMistake = {
  readonly code: MistakeCode;
  readonly section: string;
  readonly place: Place;
  readonly message: string;
};
export type WrongConfig = { readonly kind: 'WrongConfig'; readonly mistakes: readonly ConfigMistake[] };
export const wrongConfig = (mistakes: readonly ConfigMistake[]): WrongConfig => ({
  kind: 'WrongConfig',
  mistakes,
});

/** `line 3, column 7: section "geo": …` */
export const describeMistake = ({ section, place, message }: ConfigMistake): string =>
  `line ${place.line}, column ${place.column}: ${section === '' ? 'root section' : `section "${section}"`}: ${message}`;

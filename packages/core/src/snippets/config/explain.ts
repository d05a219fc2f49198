import type { Place } from '../text-format/source.ts';
import { OPTION_NAMES, OPTIONS, type OptionName, type ValueOf } from './options.ts';
import type { SnippetConfig } from './snippet-config.ts';

/** One option of a section and where its value comes from. `from` is empty for the root section. */
export type ExplainedOption = {
  readonly option: OptionName;
  readonly value: NonNullable<ValueOf<OptionName>> | undefined;
  readonly from: string | undefined;
  readonly place: Place | undefined;
};

/** Every option of a section in the order of the contract. Undefined if there is no such section. */
export const explainSection = (
  { options }: Pick<SnippetConfig, 'options'>,
  name: string,
): readonly ExplainedOption[] | undefined => {
  const effective = options.get(name);
  return (
    effective &&
    OPTION_NAMES.map((option) => {
      const set = effective[option];
      return { option, value: set?.value, from: set?.from, place: set?.place };
    })
  );
};
export const isInherited = (option: OptionName): boolean => OPTIONS[option].inherited;

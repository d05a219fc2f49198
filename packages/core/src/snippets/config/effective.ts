import type { Place } from '../text-format/source.ts';
import { OPTION_NAMES, OPTIONS, type OptionName, type OwnOptions, type ValueOf } from './options.ts';
import type { WrittenSection } from './section.ts';

/** The value of an option in a section, with the section and the place that set it. */
export type EffectiveOption<N extends OptionName = OptionName> = {
  readonly value: ValueOf<N>;
  readonly from: string;
  readonly place: Place;
};
/** Everything that holds in a section. An absent key was never set, or is not inherited. */
export type EffectiveOptions = { readonly [N in OptionName]?: EffectiveOption<N> };

type Own = Pick<WrittenSection, 'options' | 'places'> & { readonly name: string };

/** `Input` and `InputSameAsOutput` say the same thing: the nearest section that sets one of them decides. */
const decidesInput = (options: OwnOptions): boolean => 'Input' in options || 'InputSameAsOutput' in options;

const isTakenOver = (name: OptionName, own: OwnOptions): boolean => {
  if (!OPTIONS[name].inherited || name in own) return false;
  return !((name === 'Input' || name === 'InputSameAsOutput') && decidesInput(own));
};

/** What holds in a section, from what holds in the section above it and what it sets itself. */
export const inherit = (above: EffectiveOptions, { name: from, options, places }: Own): EffectiveOptions => {
  const result: Partial<Record<OptionName, EffectiveOption>> = {};
  for (const option of OPTION_NAMES) {
    const inherited = above[option];
    if (option in options) result[option] = { value: options[option], from, place: places[option]! };
    else if (inherited && isTakenOver(option, options)) result[option] = inherited;
  }
  return result as EffectiveOptions;
};

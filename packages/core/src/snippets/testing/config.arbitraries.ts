import * as fc from 'fast-check';
import { DATA_FORMATS } from '../address/data-format.ts';
import { OPTION_NAMES, OPTIONS, type OptionName, type OwnOptions } from '../config/options.ts';
import type { PlainSection } from './config-text.ts';

const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(one, { nil: undefined, freq: 4 });
const word = fc.constantFrom('one', 'two', 'three');
const values = {
  flag: fc.boolean(),
  text: maybe(word),
  format: maybe(fc.constantFrom(...DATA_FORMATS)),
  count: maybe(fc.integer({ min: 1, max: 0xffff_ffff })),
  texts: maybe(fc.uniqueArray(fc.constantFrom('ru', 'en', 'tr'), { minLength: 1 })),
  formats: maybe(fc.uniqueArray(fc.constantFrom(...DATA_FORMATS), { minLength: 1 })),
} as const;
const setOption = fc
  .constantFrom(...OPTION_NAMES.filter((name) => name !== 'Recursive'))
  .chain((name) => values[OPTIONS[name].kind].map((value): readonly [OptionName, unknown] => [name, value]));

/** What one section sets: never `Input` and `InputSameAsOutput` together. */
export const anyOptions: fc.Arbitrary<OwnOptions> = fc
  .uniqueArray(setOption, { selector: ([name]) => name, maxLength: 8 })
  .map((set) => {
    const options = Object.fromEntries(set);
    if ('Input' in options) delete options['InputSameAsOutput'];
    return options;
  });

const segment = fc.constantFrom('a', 'b', 'c', '1.x');
/** Sections as they are written, flat, with absolute names that differ. */
export const anySections: fc.Arbitrary<readonly PlainSection[]> = fc.uniqueArray(
  fc.record({
    name: fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    options: anyOptions,
  }),
  { selector: ({ name }) => name, minLength: 1, maxLength: 12 },
);

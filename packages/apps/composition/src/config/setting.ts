import { z } from 'zod';

/** What `--help`, the README's table and an error message say of a setting. */
export type SettingInfo = { readonly env: string; readonly doc: string; readonly secret?: boolean };

/** A value of the configuration with the variable it comes from. The default stands in the schema. */
export const setting = <S extends z.ZodType>(
  env: string,
  schema: S,
  doc: string,
  more: { readonly secret?: boolean } = {},
): S => schema.meta({ env, doc, ...more } satisfies SettingInfo);

export const infoOf = (schema: z.ZodType): SettingInfo => {
  const { env, doc, secret } = schema.meta() as unknown as SettingInfo;
  return { env, doc, ...(secret === undefined ? {} : { secret }) };
};

export const wholeNumber = (min: number, max: number): z.ZodCoercedNumber =>
  z.coerce.number().int().min(min).max(max);
/** A list as it stands in a variable: `a, b,c`; nothing is an empty list. */
export const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
export const port = wholeNumber(0, 65_535);
/** A number of days, or `off`, which is 0. */
export const daysOrOff = z.preprocess((value) => (value === 'off' ? 0 : value), wholeNumber(0, 3_650));
/** Written as people write it: yes, no, true, false, 1, 0. */
export const yesOrNo = z.preprocess(
  (value) => (typeof value === 'boolean' ? String(value) : value),
  z.stringbool(),
);

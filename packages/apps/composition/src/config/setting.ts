import { z } from 'zod';

/** What `--help`, the documentation and error messages say about a setting. */
export type SettingInfo = {
  readonly env: string;
  readonly doc: string;
  /** The value is never printed. */
  readonly secret?: boolean;
  /** For a setting without a default in the schema: what applies when it is not given. */
  readonly otherwise?: string;
  /** One of the settings that the README lists. */
  readonly inReadme?: boolean;
};
/** The settings of a group or a context: the key in the configuration and its schema. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

/** A value of the configuration and the variable it comes from. The default is in the schema. */
export const setting = <S extends z.ZodType>(
  env: string,
  schema: S,
  doc: string,
  more: Pick<SettingInfo, 'secret' | 'otherwise' | 'inReadme'> = {},
): S => schema.meta({ env, doc, ...more } satisfies SettingInfo);

export const infoOf = (schema: z.ZodType): SettingInfo => schema.meta() as unknown as SettingInfo;

export const wholeNumber = (min: number, max: number): z.ZodCoercedNumber =>
  z.coerce.number().int().min(min).max(max);
/** Splits a comma-separated variable: `a, b,c`. No text is an empty list. */
export const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
export const port = wholeNumber(0, 65_535);
/** A number of days, or `off`, which is 0. */
export const daysOrOff = z.preprocess((value) => (value === 'off' ? 0 : value), wholeNumber(0, 3_650));
/** Accepts yes, no, true, false, 1, 0. */
export const yesOrNo = z.preprocess(
  (value) => (typeof value === 'boolean' ? String(value) : value),
  z.stringbool(),
);

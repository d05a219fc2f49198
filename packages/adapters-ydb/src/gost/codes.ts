import { type Preset, type Total } from '@doska/core/gost';
import { PRESETS, TOTALS } from '@doska/core/gost/storage';

const nameOf =
  <Name extends string>(codes: Readonly<Record<Name, number>>) =>
  (code: number): Name | undefined =>
    (Object.keys(codes) as Name[]).find((name) => codes[name] === code);
export const presetOf: (code: number) => Preset | undefined = nameOf<Preset>(PRESETS);
export const totalOf: (code: number) => Total | undefined = nameOf<Total>(TOTALS);

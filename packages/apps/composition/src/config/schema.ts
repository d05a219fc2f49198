import { z } from 'zod';
import type { ContextWiring } from '../context.ts';
import { platformGroups, platformShape } from './platform-settings.ts';
import { infoOf, type SettingInfo, type SettingsShape } from './setting.ts';

/** One setting and its place in the configuration: `['httpPort']` or `['gost', 'exportShards']`. */
export type KnownSetting = {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  readonly info: SettingInfo;
};
export type SettingGroup = { readonly title: string; readonly settings: readonly KnownSetting[] };

const known = (shape: SettingsShape, ...parents: readonly string[]): readonly KnownSetting[] =>
  Object.entries(shape).map(([key, schema]) => ({ path: [...parents, key], schema, info: infoOf(schema) }));

/** Every setting of the platform and of these contexts, in the order of `--help`. */
export const settingGroups = (contexts: readonly ContextWiring[]): readonly SettingGroup[] => [
  ...platformGroups.map(({ title, settings }) => ({ title, settings: known(settings) })),
  ...contexts.map(({ name, title, settings }) => ({ title, settings: known(settings, name) })),
];
export const knownSettings = (contexts: readonly ContextWiring[]): readonly KnownSetting[] =>
  settingGroups(contexts).flatMap(({ settings }) => settings);

/** The platform's settings at the top level, the settings of a context in an object of its name. */
export const schemaOf = (contexts: readonly ContextWiring[]) =>
  z.strictObject({
    ...platformShape,
    ...Object.fromEntries(
      contexts.map(({ name, settings }) => [name, z.strictObject(settings).prefault({})]),
    ),
  });

import type { PlatformSettings } from './platform-settings.ts';

/** `chosen` has the settings that were given, by path (`httpPort`, `gost.exportShards`). The others have their defaults. */
export type Config = PlatformSettings & { readonly chosen: ReadonlySet<string> };

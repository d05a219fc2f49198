import type { PrepareLeaf } from '../content/prepare-leaf.ts';
import type { KeyExtractor } from '../content/snippet-parts.ts';
import type { SnippetConfig } from './snippet-config.ts';

/** A config with its parts built. A request takes it once, so it never sees two of them. */
export type LoadedConfig = {
  readonly config: SnippetConfig;
  /** By the name of the section. */
  readonly prepare: ReadonlyMap<string, PrepareLeaf>;
  /** By the name of the section that reads a topic. */
  readonly extract: ReadonlyMap<string, KeyExtractor>;
};

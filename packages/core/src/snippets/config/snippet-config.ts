import type { DataFormat } from '../address/data-format.ts';
import type { EffectiveOptions } from './effective.ts';
import type { ConfigMistake } from './section.ts';

/** A section that stores snippets, with the options that hold in it. */
export type Leaf = {
  readonly name: string;
  readonly service: string;
  readonly kps: number;
  readonly output: DataFormat;
  readonly inputs: readonly DataFormat[];
  readonly inputSchema: string | undefined;
  readonly outputSchema: string | undefined;
  readonly validator: string | undefined;
  readonly convertor: string | undefined;
  /** The languages that its convertor makes. Undefined: the language of the request is part of the key. */
  readonly languages: readonly string[] | undefined;
  /** Undefined: snippets do not expire. */
  readonly ttlMs: number | undefined;
};
export type ConfiguredSection = {
  readonly name: string;
  /** Without children in the config. */
  readonly isLeaf: boolean;
  /** What an operation on the section runs on. Empty: it can do nothing. */
  readonly targets: readonly Leaf[];
  /** The formats that all targets accept. */
  readonly inputs: readonly DataFormat[];
};
/** A section that reads a topic. */
export type TopicInput = {
  readonly section: string;
  readonly topic: string;
  readonly format: DataFormat;
  readonly extractor: string;
  readonly retries: number;
};
/** A config without mistakes: a flat table, so that a request walks no tree. */
export type SnippetConfig = {
  readonly sections: ReadonlyMap<string, ConfiguredSection>;
  readonly topics: readonly TopicInput[];
  readonly warnings: readonly ConfigMistake[];
  /** For `explain`. The empty name is the root. */
  readonly options: ReadonlyMap<string, EffectiveOptions>;
};

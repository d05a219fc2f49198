import { err, ok, type Result } from 'neverthrow';
import { compileConfig } from '../config/compile-config.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { wrongConfig, type ConfigMistake, type WrongConfig } from '../config/section.ts';
import type { Leaf, SnippetConfig } from '../config/snippet-config.ts';
import { prepareLeaf, type ContentLimits, type LeafParts } from './prepare-leaf.ts';
import { knownParts, type PartsRegistry } from './registry.ts';
import type { JsonSchemas, KeyExtractor } from './snippet-parts.ts';

/** The texts of `config.pb.txt` and the prefixes of its sections. */
export type ConfigSource = { readonly text: string; readonly prefixes: ReadonlyMap<string, number> };
export type LoadSettings = ContentLimits & {
  /** Names that `Service` may have. */
  readonly services: readonly string[];
  /** False if sections stand below a path of their own. */
  readonly sharesRootPath: boolean;
};

/** Makes the parts of sections. A part that throws is a mistake of the config at the option that names it. */
const makeParts = ({ options }: SnippetConfig, { validators, convertors, extractors }: PartsRegistry) => {
  const mistakes: ConfigMistake[] = [];
  const made = <T>(
    section: string,
    option: 'SpecialValidator' | 'SpecialConvertor' | 'KeyExtractor',
    make: () => T,
  ): T | undefined => {
    const set = options.get(section)?.[option];
    if (!set) return undefined;
    try {
      return make();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `${option}: "${set.value}" failed when it was made for this section: ${why}`;
      mistakes.push({ code: 'PartFailed', section, place: set.place, message });
      return undefined;
    }
  };
  const leafParts = ({ name, output, languages, validator, convertor }: Leaf): LeafParts => {
    const section = { name, output, languages };
    return {
      validate:
        validator === undefined
          ? undefined
          : made(name, 'SpecialValidator', () => validators[validator]!.make(section)),
      convert:
        convertor === undefined
          ? undefined
          : made(name, 'SpecialConvertor', () => convertors[convertor]!.make(section)),
    };
  };
  const extractor = (section: string, name: string): KeyExtractor | undefined =>
    made(section, 'KeyExtractor', () => extractors[name]!.make({ name: section }));
  return { mistakes, leafParts, extractor };
};

/** Compiles a config and makes the parts of its sections. */
export const loadConfig = (
  { text, prefixes }: ConfigSource,
  { parts, schemas }: { readonly parts: PartsRegistry; readonly schemas: JsonSchemas },
  settings: LoadSettings,
): Result<LoadedConfig, WrongConfig> => {
  const { services, sharesRootPath } = settings;
  const known = knownParts(parts, schemas, services);
  return compileConfig(text, { known, prefixes, sharesRootPath }).andThen((config) => {
    const { mistakes, leafParts, extractor } = makeParts(config, parts);
    const leaves = [...config.sections.values()].flatMap(({ targets }) => targets);
    const unique = new Map(leaves.map((leaf) => [leaf.name, leaf]));
    const prepare = new Map(
      [...unique].map(([name, leaf]) => [name, prepareLeaf(leaf, leafParts(leaf), schemas, settings)]),
    );
    const extract = new Map<string, KeyExtractor>();
    for (const topic of config.topics) {
      const made = extractor(topic.section, topic.extractor);
      if (made) extract.set(topic.section, made);
    }
    return mistakes.length > 0 ? err(wrongConfig(mistakes)) : ok({ config, prepare, extract });
  });
};

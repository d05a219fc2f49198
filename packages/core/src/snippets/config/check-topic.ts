import { convertorOf } from './check-leaf.ts';
import type { Say } from './check-names.ts';
import { canConvert, type KnownParts } from './known-parts.ts';
import type { OptionName } from './options.ts';
import type { SectionNode, SectionTree } from './section-tree.ts';
import type { TopicInput } from './snippet-config.ts';

/** Checks a section that reads a topic: its format must suit the extractor and every section that it writes to. */
export const checkTopic = (
  node: SectionNode,
  targets: readonly string[],
  tree: SectionTree,
  known: KnownParts,
  say: Say,
): TopicInput | undefined => {
  const { name, options } = node;
  const topic = options.InputTopic?.value;
  if (topic === undefined) return undefined;
  let isRight = true;
  const tell = (code: Parameters<Say>[0], option: OptionName, message: string): void => {
    isRight = false;
    say(code, name, options[option]?.place ?? node.place, message);
  };
  const format = options.InputForLB?.value;
  const extractor = options.KeyExtractor?.value;
  if (format === undefined) tell('Missing', 'InputTopic', 'InputTopic needs InputForLB');
  if (extractor === undefined) tell('Missing', 'InputTopic', 'InputTopic needs KeyExtractor');
  if (targets.length === 0)
    tell('Missing', 'InputTopic', 'InputTopic: the group stores nothing, so its records have no place');
  const reads = extractor === undefined ? undefined : known.extractor(extractor)?.formats;
  if (format && reads && !reads.includes(format))
    tell('NotConvertible', 'KeyExtractor', `"${extractor}" does not read ${format}`);
  for (const target of format ? targets : []) {
    const leaf = tree.get(target)!;
    const output = leaf.options.Output?.value;
    const convertor = output && convertorOf(leaf, output, known);
    if (format && output && convertor && !canConvert(convertor, format, output))
      tell('NotConvertible', 'InputForLB', `section "${target}" can't convert ${format} to ${output}`);
  }
  if (!isRight || format === undefined || extractor === undefined) return undefined;
  return { section: name, topic, format, extractor, retries: options.UploadOverLBRetryCount?.value ?? 0 };
};

import { languageTag } from '../address/language.ts';
import { joinName } from '../address/snippet-name.ts';
import type { Place } from '../text-format/source.ts';
import type { KnownParts } from './known-parts.ts';
import type { OptionName } from './options.ts';
import type { MistakeCode } from './section.ts';
import type { SectionNode, SectionTree } from './section-tree.ts';

export type Say = (code: MistakeCode, section: string, place: Place, message: string) => void;

/** Kafka's and ours: what a topic may be called. */
const TOPIC = /^[A-Za-z0-9._-]{1,200}$/;
/** Topics of this service, which no section may read. */
export const RETRY_TOPIC = 'snippets-retries';
const isOwnTopic = (topic: string): boolean => topic === RETRY_TOPIC || topic.endsWith('.dead');

/** Checks the values that a section sets itself, also if no section uses them. */
export const checkOwnValues = (node: SectionNode, tree: SectionTree, known: KnownParts, say: Say): void => {
  const { own, name, options } = node;
  const tell = (option: OptionName, code: MistakeCode, message: string): void =>
    say(code, name, options[option]!.place, `${option}: ${message}`);
  const unknown = (option: OptionName, what: string, isKnown: (value: string) => boolean): void => {
    const value = own[option];
    if (typeof value === 'string' && !isKnown(value))
      tell(option, 'UnknownName', `there is no ${what} "${value}"`);
  };
  unknown('Service', 'service', known.hasService);
  unknown('InputJsonSchema', 'schema', known.hasSchema);
  unknown('OutputJsonSchema', 'schema', known.hasSchema);
  unknown('SpecialValidator', 'validator', known.hasValidator);
  unknown('SpecialConvertor', 'convertor', (value) => known.convertor(value) !== undefined);
  unknown('KeyExtractor', 'key extractor', (value) => known.extractor(value) !== undefined);
  if ('Input' in own && 'InputSameAsOutput' in own)
    tell('Input', 'InputTwice', 'a section sets either Input or InputSameAsOutput, not both');
  for (const language of own.OutputLanguages ?? [])
    if (languageTag(language) === undefined)
      tell('OutputLanguages', 'BadLanguage', `"${language}" is no BCP 47 language`);
  const tags = (own.OutputLanguages ?? []).map(languageTag);
  if (new Set(tags).size < tags.length) tell('OutputLanguages', 'BadLanguage', 'a language stands twice');
  if (own.InputTopic !== undefined && !TOPIC.test(own.InputTopic))
    tell('InputTopic', 'BadTopic', 'a topic has 1 to 200 letters, digits, ".", "_" or "-"');
  else if (own.InputTopic !== undefined && isOwnTopic(own.InputTopic))
    tell('InputTopic', 'BadTopic', `"${own.InputTopic}" is a topic of this service`);
  for (const entry of own.Recursive ?? [])
    if (entry === '' || !tree.has(joinName(name, entry)))
      tell('Recursive', 'NotADescendant', `"${entry}" is no section below this one`);
};

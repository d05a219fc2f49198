import type { DataFormat } from '../address/data-format.ts';
import { languageTag } from '../address/language.ts';
import type { Place } from '../text-format/source.ts';
import type { Say } from './check-names.ts';
import {
  canConvert,
  canMake,
  identityDeclaration,
  type ConvertorDeclaration,
  type KnownParts,
} from './known-parts.ts';
import type { OptionName } from './options.ts';
import type { SectionNode } from './section-tree.ts';
import type { Leaf } from './snippet-config.ts';

const MINUTE_MS = 60_000;

/** The formats that the section accepts; empty if neither `Input` nor `InputSameAsOutput` says it. */
export const inputsOf = ({ options }: SectionNode): readonly DataFormat[] => {
  const output = options.Output?.value;
  if (options.Input?.value) return [...new Set(options.Input.value)];
  return options.InputSameAsOutput?.value === true && output ? [output] : [];
};

/** The convertor that the section uses. Undefined if its name is unknown, which is told elsewhere. */
export const convertorOf = (
  { options }: SectionNode,
  output: DataFormat,
  known: KnownParts,
): ConvertorDeclaration | undefined => {
  const name = options.SpecialConvertor?.value;
  return name === undefined ? identityDeclaration(output) : known.convertor(name);
};

/** Checks how the options of a section that stores snippets fit together. Returns it without mistakes only. */
export const checkLeaf = (
  node: SectionNode,
  kps: number | undefined,
  known: KnownParts,
  tell: Say,
): Leaf | undefined => {
  const { name, options, place } = node;
  let isRight = true;
  const say = (code: Parameters<Say>[0], at: Place, message: string): void => {
    isRight = false;
    tell(code, name, at, message);
  };
  const placeOf = (option: OptionName): Place => options[option]?.place ?? place;
  const output = options.Output?.value;
  const service = options.Service?.value;
  const inputs = inputsOf(node);
  if (output === undefined) say('Missing', placeOf('Output'), 'Output is missing');
  if (service === undefined) say('Missing', placeOf('Service'), 'Service is missing');
  if (inputs.length === 0 && output !== undefined)
    say('Missing', placeOf('Input'), 'Input or InputSameAsOutput is missing');
  if (kps === undefined)
    say('NoPrefix', place, 'no key prefix; run "doska snippets prefixes" to add the missing ones');

  const special = options.SpecialConvertor?.value;
  const convertor = output && convertorOf(node, output, known);
  if (output && special === undefined && inputs.some((input) => input !== output))
    say('NoConvertor', placeOf('Input'), `Input other than Output (${output}) needs SpecialConvertor`);
  else if (output && convertor)
    for (const input of inputs)
      if (!canConvert(convertor, input, output))
        say(
          'NotConvertible',
          placeOf('SpecialConvertor'),
          `"${special}" does not convert ${input} to ${output}`,
        );

  const languages = options.OutputLanguages?.value?.map((one) => languageTag(one) ?? one);
  if (languages && special === undefined)
    say('NoConvertor', placeOf('OutputLanguages'), 'OutputLanguages needs SpecialConvertor');
  else if (convertor)
    for (const language of languages ?? [])
      if (!canMake(convertor, language))
        say(
          'NotConvertible',
          placeOf('SpecialConvertor'),
          `"${special}" does not make the language ${language}`,
        );

  const outputSchema = options.OutputJsonSchema?.value;
  if (outputSchema !== undefined && special === undefined)
    say('WrongSchema', placeOf('OutputJsonSchema'), 'OutputJsonSchema needs SpecialConvertor');
  if (outputSchema !== undefined && output !== undefined && output !== 'json')
    say('WrongSchema', placeOf('OutputJsonSchema'), `OutputJsonSchema is for json, but Output is ${output}`);
  if (!isRight || output === undefined || service === undefined || kps === undefined) return undefined;
  const minutes = options.TtlMinutes?.value;
  return {
    name,
    service,
    kps,
    output,
    inputs,
    inputSchema: options.InputJsonSchema?.value,
    outputSchema,
    validator: options.SpecialValidator?.value,
    convertor: special,
    languages,
    ttlMs: minutes === undefined ? undefined : minutes * MINUTE_MS,
  };
};

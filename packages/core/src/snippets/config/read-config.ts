import { err, ok, type Result } from 'neverthrow';
import { DATA_FORMATS, type DataFormat } from '../address/data-format.ts';
import { joinName } from '../address/snippet-name.ts';
import { parseText, type TextField, type TextMessage, type TextValue } from '../text-format/parse-text.ts';
import type { Place } from '../text-format/source.ts';
import { isOption, OPTIONS, type OptionName } from './options.ts';
import {
  wrongConfig,
  type ConfigMistake,
  type MistakeCode,
  type WrittenSection,
  type WrongConfig,
} from './section.ts';

type Say = (code: MistakeCode, place: Place, message: string) => void;
type Tell = (section: string, ...mistake: Parameters<Say>) => void;
const UINT32_MAX = 0xffff_ffffn;
const INT32_MAX = 0x7fff_ffffn;
const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  t: true,
  false: false,
  False: false,
  f: false,
};
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A value that is not what the option holds. `undefined` is a value, so this is a symbol. */
const WRONG = Symbol('wrong');
type Read<T> = T | undefined | typeof WRONG;

const flag = (value: TextValue): Read<boolean> => {
  if (value.kind === 'word' && Object.hasOwn(WORDS, value.word)) return WORDS[value.word];
  if (value.kind === 'integer' && !value.signed && (value.value === 0n || value.value === 1n))
    return value.value === 1n;
  return WRONG;
};
const text = (value: TextValue): Read<string> => {
  if (value.kind !== 'text') return WRONG;
  try {
    return decoder.decode(value.bytes) || undefined;
  } catch {
    return WRONG;
  }
};
const count = (value: TextValue): Read<number> =>
  value.kind === 'integer' && !value.signed && value.value <= UINT32_MAX
    ? Number(value.value) || undefined
    : WRONG;
/** By its word, or by its number in the contract. 0 is no format. */
const format = (value: TextValue): Read<DataFormat> => {
  if (value.kind === 'word')
    return value.word === 'unspecified'
      ? undefined
      : (DATA_FORMATS.find((known) => known === value.word) ?? WRONG);
  if (value.kind !== 'integer' || value.value > INT32_MAX || value.value < -INT32_MAX - 1n) return WRONG;
  return value.value === 0n ? undefined : (DATA_FORMATS[Number(value.value) - 1] ?? WRONG);
};
const READERS = { flag, text, count, format, texts: text, formats: format } as const;
const EXPECTED = {
  flag: 'true or false',
  text: 'a string in UTF-8',
  texts: 'strings in UTF-8',
  count: 'a whole number from 0 to 4294967295',
  format: `one of ${DATA_FORMATS.join(', ')}`,
  formats: `one or more of ${DATA_FORMATS.join(', ')}`,
} as const;

class SectionReader {
  readonly options: Record<string, unknown> = {};
  readonly places: Record<string, Place> = {};
  readonly sections: WrittenSection[] = [];
  readonly #say: Say;
  constructor(say: Say) {
    this.#say = say;
  }

  option(name: OptionName, field: TextField): void {
    const { kind } = OPTIONS[name];
    const isRepeated = kind === 'texts' || kind === 'formats';
    if (!field.hasColon) return this.#say('WrongValue', field.place, `${name}: ":" is missing`);
    if (!isRepeated && field.isList)
      return this.#say('WrongValue', field.place, `${name}: one value is expected`);
    if (!isRepeated && name in this.places)
      return this.#say('RepeatedOption', field.place, `${name} is set twice`);
    const read = field.values.map((value) => READERS[kind](value));
    const wrong = read.indexOf(WRONG);
    if (wrong >= 0)
      return this.#say('WrongValue', field.values[wrong]!.place, `${name}: ${EXPECTED[kind]} is expected`);
    // As in protobuf, an empty list is the same as no list.
    if (read.length === 0) return;
    this.places[name] ??= field.place;
    if (!isRepeated) this.options[name] = read[0];
    else {
      const before = (this.options[name] as readonly unknown[] | undefined) ?? [];
      const all = before.concat(read.filter((one) => one !== undefined));
      this.options[name] = all.length === 0 ? undefined : all;
    }
  }
}

const bodyOf = (body: TextMessage, section: string, tell: Tell): SectionReader => {
  const say: Say = (code, place, message) => tell(section, code, place, message);
  const reader = new SectionReader(say);
  for (const field of body.fields) {
    if (isOption(field.name)) reader.option(field.name, field);
    else if (field.name === 'Section')
      for (const value of field.values) {
        if (value.kind === 'message') reader.sections.push(sectionOf(value, section, tell));
        else say('WrongValue', value.place, 'Section: a message in braces is expected');
      }
    else say('UnknownOption', field.place, `there is no option "${field.name}"`);
  }
  return reader;
};

/** The only value of a field that must stand once. */
const single = (field: TextField, seen: Set<string>, say: Say): TextValue | undefined => {
  if (seen.has(field.name)) return void say('RepeatedOption', field.place, `${field.name} is set twice`);
  seen.add(field.name);
  if (field.isList)
    return void say('WrongValue', field.place, `${field.name}: one value is expected, no list`);
  return field.values[0];
};

/** The name for error messages. It is needed before the body is read, where it may stand behind it. */
const nameIn = ({ fields }: TextMessage, parent: string): string => {
  const value = fields.find(({ name }) => name === 'Name')?.values[0];
  const read = value && text(value);
  return typeof read === 'string' ? joinName(parent, read) : parent;
};

const sectionOf = (message: TextMessage, parent: string, tell: Tell): WrittenSection => {
  const section = nameIn(message, parent);
  const say: Say = (code, place, problem) => tell(section, code, place, problem);
  const seen = new Set<string>();
  let name = '';
  let body = new SectionReader(say);
  for (const field of message.fields) {
    if (field.name !== 'Name' && field.name !== 'Body') {
      say('UnknownOption', field.place, `a section has Name and Body, but no "${field.name}"`);
      continue;
    }
    const value = single(field, seen, say);
    if (!value) continue;
    if (field.name === 'Body') {
      if (value.kind === 'message') body = bodyOf(value, section, tell);
      else say('WrongValue', value.place, 'Body: a message in braces is expected');
      continue;
    }
    const read = field.hasColon ? text(value) : WRONG;
    if (read === WRONG) say('WrongValue', value.place, 'Name: a string in UTF-8 is expected');
    else name = read ?? '';
  }
  const { options, places, sections } = body;
  return { name, place: message.place, options: options, places, sections };
};

/** Reads the text of a config. It lists every mistake that the text alone shows; a mistake of syntax ends the list. */
export const readConfig = (source: string): Result<WrittenSection, WrongConfig> => {
  const mistakes: ConfigMistake[] = [];
  const tell: Tell = (section, code, place, message) => void mistakes.push({ code, section, place, message });
  const parsed = parseText(source);
  if (parsed.isErr()) {
    tell('', 'Unreadable', parsed.error.place, parsed.error.message);
    return err(wrongConfig(mistakes));
  }
  const root = sectionOf(parsed.value, '', tell);
  return mistakes.length > 0 ? err(wrongConfig(mistakes)) : ok(root);
};

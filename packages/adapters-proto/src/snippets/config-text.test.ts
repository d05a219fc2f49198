import { createFileRegistry, fromBinary, ScalarType, type DescField, type Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { fromText } from '@bufbuild/protobuf/txtpb';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { seededRandom } from '@doska/core/kernel/testing';
import { OPTIONS, readConfig } from '@doska/core/snippets';
import { anyOptions, anySections, configText } from '@doska/core/snippets/testing';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { descriptorSet } from '../descriptors.ts';
import { configTexts } from './testing/config-texts.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
const section = registry.getMessage('doska.snippets.v1.ConfigSection')!;
const body = registry.getMessage('doska.snippets.v1.SectionBody')!;

/** The library takes any number for a value of an enum; a config takes only those that have a name. */
const knowsAllFormats = (message: Message): boolean => {
  const found = reflect(registry.getMessage(message.$typeName)!, message);
  return found.fields.every((field) => {
    const known = (value: unknown): boolean =>
      field.enum === undefined || field.enum.values.some(({ number }) => number === value);
    if (!found.isSet(field)) return true;
    if (field.fieldKind === 'enum') return known(found.get(field));
    if (field.fieldKind === 'message') return knowsAllFormats(found.get(field).message);
    if (field.fieldKind !== 'list') return true;
    return [...found.get(field)].every((one) =>
      field.listKind === 'message' ? knowsAllFormats((one as { message: Message }).message) : known(one),
    );
  });
};
const oracle = (text: string): boolean => {
  try {
    return knowsAllFormats(fromText(section, text, { registry }));
  } catch {
    return false;
  }
};
/** Whether the text is accepted. A refusal must have a place inside the text. */
const ours = (text: string): boolean =>
  readConfig(text).match(
    () => true,
    ({ mistakes }) => {
      const lines = text.split('\n');
      for (const { place } of mistakes) {
        expect(place.line).toBeGreaterThanOrEqual(1);
        expect(place.line).toBeLessThanOrEqual(lines.length);
        expect(place.column).toBeLessThanOrEqual(lines[place.line - 1]!.length + 1);
      }
      expect(mistakes.length).toBeGreaterThan(0);
      return false;
    },
  );

const kindOf = (field: DescField): string => {
  const isList = field.fieldKind === 'list';
  if (field.enum) return isList ? 'formats' : 'format';
  const names: Partial<Record<ScalarType, string>> = {
    [ScalarType.STRING]: 'text',
    [ScalarType.BOOL]: 'flag',
    [ScalarType.UINT32]: 'count',
  };
  return `${names[field.scalar!]}${isList ? 's' : ''}`;
};

describe('the text of a config', () => {
  test('[F2] the contract has exactly the options that the code knows', () => {
    const fields = body.fields.filter(({ name }) => name !== 'Section');
    expect(Object.fromEntries(fields.map((field) => [field.name, kindOf(field)]))).toEqual(
      Object.fromEntries(Object.entries(OPTIONS).map(([name, { kind }]) => [name, kind])),
    );
    expect(section.fields.map(({ name }) => name)).toEqual(['Name', 'Body']);
    expect(body.field['Output']!.enum!.values.map(({ name }) => name)).toEqual([
      'unspecified',
      'json',
      'pb',
      'raw',
    ]);
  });
  test('[F2] there are enough texts, right and wrong ones', () => {
    expect(new Set(configTexts).size).toBe(configTexts.length);
    expect(configTexts.length).toBeGreaterThanOrEqual(150);
    expect(configTexts.filter(oracle).length).toBeGreaterThan(50);
    expect(configTexts.filter((text) => !oracle(text)).length).toBeGreaterThan(50);
  });
  test.each(configTexts)('[F2] %j is accepted or refused as by the library', (text) => {
    expect(ours(text)).toBe(oracle(text));
  });
  test('[F2] ten thousand damaged texts are accepted or refused as by the library', () => {
    const random = seededRandom(7);
    const pick = (below: number): number => random.below(below);
    const pieces = [
      '"',
      "'",
      '\\',
      '{',
      '}',
      '<',
      '>',
      '[',
      ']',
      ':',
      ',',
      ';',
      '#',
      '-',
      '0',
      '08',
      '1e5',
      '0x',
      '.5',
      'f',
      '\n',
      ' ',
      'Name',
      'Body',
      'json',
      'true',
      '\\u0041',
      '\\ud800',
      '\\x',
      '\\400',
      'я',
      '\0',
      '5u',
      '=',
      '/',
    ];
    let accepted = 0;
    for (let run = 0; run < 10_000; run++) {
      let text = configTexts[pick(configTexts.length)]!;
      for (let change = 0; change <= pick(3); change++) {
        const at = pick(text.length + 1);
        const gone = pick(3);
        text =
          text.slice(0, at) + (pick(3) === 0 ? '' : pieces[pick(pieces.length)]!) + text.slice(at + gone);
      }
      const expected = oracle(text);
      if (ours(text) !== expected) expect.fail(`${JSON.stringify(text)}: the library says ${expected}`);
      if (expected) accepted++;
    }
    expect(accepted).toBeGreaterThan(300);
  });
  test('[F2] any config that we write is read by the library with the same values', () => {
    fc.assert(
      fc.property(anyOptions, anySections, (root, sections) => {
        const text = configText(root, sections);
        const read = fromText(section, text, { registry }) as unknown as {
          Body: { Section: readonly { Name: string }[] };
        };
        expect(read.Body.Section.map(({ Name }) => Name)).toEqual(sections.map(({ name }) => name));
        expect(ours(text)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
  test('[F2] random bytes are refused with a place, never with an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(ours(text)).toBe(oracle(text));
      }),
      { numRuns: 1000 },
    );
  });
});

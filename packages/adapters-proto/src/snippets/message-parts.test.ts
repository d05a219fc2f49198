import type { Convertor, SnippetInput } from '@doska/core/snippets';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { descriptorSet } from '../descriptors.ts';
import { SnippetVersion } from '../generated/doska/snippets/v1/snippet_service.ts';
import { messageParts } from './message-parts.ts';

const { convertors = {} } = messageParts(descriptorSet)._unsafeUnwrap();
const convertor = (output: 'json' | 'pb'): Convertor =>
  convertors['message:doska.snippets.v1.SnippetVersion']!.make({
    name: 'section',
    output,
    languages: undefined,
  });
const input = (format: 'json' | 'pb', bytes: Uint8Array): SnippetInput => ({
  format,
  bytes,
  json: undefined,
  key: 'k',
  language: '',
});
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const version = { ms: 12_345_678_901_234_567_890n, sequence: 7n };
const pb = SnippetVersion.encode(version).finish();
const json = text('{"ms":"12345678901234567890","sequence":"7"}');
const converted = async (
  from: 'json' | 'pb',
  bytes: Uint8Array,
  to: 'json' | 'pb',
): Promise<Uint8Array | string> => {
  const made = await convertor(to)(input(from, bytes));
  return made.kind === 'converted' ? made.contents[0]!.bytes : made.violations[0]!.message;
};

test.each([
  ['json', json, 'pb', pb],
  ['pb', pb, 'json', json],
  ['json', text('{ "sequence": 7, "ms": "12345678901234567890" }'), 'json', json],
  ['pb', pb, 'pb', pb],
] as const)('[F4] a message is converted from %s to %s', async (from, bytes, to, expected) => {
  expect(Buffer.from((await converted(from, bytes, to)) as Uint8Array)).toEqual(Buffer.from(expected));
});

test.each([
  ['json', text('{"ms":"-1"}'), 'ms'],
  ['json', text('{"colour":1}'), 'colour'],
  ['json', text('{'), 'JSON'],
  ['json', Uint8Array.of(0xff), 'SnippetVersion'],
  ['pb', Uint8Array.of(0xff, 0xff), 'SnippetVersion'],
] as const)('[F4] what is not the message is refused (%s)', async (from, bytes, words) => {
  expect(await converted(from, bytes, 'json')).toContain(words);
});

test('[F4] there is a convertor for each message, and for nothing else', () => {
  expect(Object.keys(convertors)).toContain('message:doska.snippets.v1.PutRequest');
  expect(Object.keys(convertors).every((name) => name.startsWith('message:'))).toBe(true);
  expect(Object.keys(convertors)).not.toContain('message:doska.snippets.v1.SnippetFormat');
});

test('[F4] bytes that are no descriptor set are an error, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
      messageParts(bytes);
    }),
  );
  expect(messageParts(Uint8Array.of(1, 2, 3))._unsafeUnwrapErr().kind).toBe('BadDescriptors');
});

import { expect, test } from 'vitest';
import { readBulkLine } from './bulk-line.ts';

const encoder = new TextEncoder();
const read = (line: string, depthMax = 10) => readBulkLine(encoder.encode(line), depthMax);
const textOf = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

test.each([
  [
    '{"key":"a","json":{"b":12345678901234567890}}',
    { type: { format: 'json' } },
    '{"b":12345678901234567890}',
  ],
  ['{"key":"a","json":null}', { type: { format: 'json' } }, 'null'],
  ['{"key":"a","text":"при\\nвет"}', { type: { contentType: undefined } }, 'при\nвет'],
  ['{"key":"a","text":"{}","type":"json"}', { type: { contentType: 'json' } }, '{}'],
  ['{"key":"a","base64":"AAE=","type":"pb"}', { type: { contentType: 'pb' } }, '\u0000\u0001'],
  ['{"key":"a","base64":""}', { type: { contentType: undefined } }, ''],
])('[F10] the line %s stores what it holds', (line, content, text) => {
  const given = read(line)._unsafeUnwrap();
  expect(given).toMatchObject({ key: 'a', language: '', condition: undefined, content });
  expect(textOf(given.content!.bytes)).toBe(text);
});

test.each([
  ['{"key":"a","delete":true}', { content: undefined, condition: undefined }],
  ['{"key":"a","delete":true,"language":"ru_RU"}', { language: 'ru-ru' }],
  ['{"key":"a","delete":true,"ifMatch":"*"}', { condition: { kind: 'exists' } }],
  ['{"key":"a","json":1,"ifNoneMatch":"*"}', { condition: { kind: 'absent' } }],
  [
    '{"key":"a","json":1,"ifMatch":"1700000000000-3"}',
    { condition: { kind: 'version', version: { ms: 1_700_000_000_000, sequence: 3 } } },
  ],
])('[F10] the line %s is understood', (line, expected) => {
  expect(read(line)._unsafeUnwrap()).toMatchObject(expected);
});

test.each([
  ['', '', 'not JSON'],
  ['[]', '', 'an object'],
  ['null', '', 'an object'],
  ['{"key":"a","json":1', '', 'not JSON'],
  ['{"json":1}', 'key', 'a key'],
  ['{"key":7,"json":1}', 'key', 'a text'],
  ['{"key":"a"}', 'json', 'exactly one'],
  ['{"key":"a","json":1,"text":"b"}', 'text', 'exactly one'],
  ['{"key":"a","json":1,"delete":true}', 'delete', 'exactly one'],
  ['{"key":"a","delete":false}', 'delete', 'only true'],
  ['{"key":"a","text":1}', 'text', 'a text'],
  ['{"key":"a","base64":"%%%"}', 'base64', 'base64'],
  ['{"key":"a","base64":"AAA"}', 'base64', 'base64'],
  ['{"key":"a","json":1,"type":"pb"}', 'type', 'no type'],
  ['{"key":"a","delete":true,"type":"pb"}', 'type', 'no type'],
  ['{"key":"a","json":1,"kee":2}', 'kee', 'unknown member'],
  ['{"key":"a","json":1,"key":"b"}', '', 'key twice'],
  ['{"key":"a","json":{"__proto__":1}}', '', '__proto__'],
  ['{"key":"a","json":1,"ifMatch":"*","ifNoneMatch":"*"}', 'ifNoneMatch', 'either'],
  ['{"key":"a","json":1,"ifNoneMatch":"1-1"}', 'ifNoneMatch', 'only *'],
  ['{"key":"a","json":1,"ifMatch":"yesterday"}', 'ifMatch', 'a version'],
  ['{"key":"a","json":1,"language":"ru,en"}', 'language', 'at most one'],
])('[F10] the line %s is refused and names %s', (line, path, message) => {
  const [violation] = read(line)._unsafeUnwrapErr().violations;
  expect(violation!.path).toBe(path);
  expect(violation!.message).toContain(message);
});

test('[F10] a content may be as deep as in a PUT, and not deeper', () => {
  expect(read('{"key":"a","json":[[1]]}', 2).isOk()).toBe(true);
  expect(read('{"key":"a","json":[[[1]]]}', 2).isErr()).toBe(true);
});
test('[F10] bytes that are not UTF-8 are refused', () => {
  expect(readBulkLine(Uint8Array.of(0x7b, 0xff, 0x7d), 10).isErr()).toBe(true);
});

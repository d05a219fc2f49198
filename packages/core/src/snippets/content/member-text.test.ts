import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberText } from './member-text.ts';

test.each([
  ['{"json":1.50,"key":"a"}', '1.50'],
  ['{ "key" : "json" , "json" : 12345678901234567890 }', '12345678901234567890'],
  ['{"key":"}\\"{","json":{"b":1,"a":[{"json":2},"]"]}}', '{"b":1,"a":[{"json":2},"]"]}'],
  ['{"key":{"json":1},"other":["json"],"json":"\\\\"}', '"\\\\"'],
  ['{"j\\u0073on":null}', 'null'],
  ['{"key":"json"}', undefined],
  ['{}', undefined],
])('[F10] of %s the content is %s, as it stands', (text, expected) => {
  expect(memberText(text, 'json')).toBe(expected);
});

test('[F10] a member is found behind any others, with any spaces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 4 }),
      fc.jsonValue(),
      fc.constantFrom('', ' ', '\t', '\r\n'),
      (others, value, space) => {
        const before = others
          .filter(([name]) => name !== 'json')
          .map(([name, one]) => `${JSON.stringify(name)}${space}:${space}${JSON.stringify(one)}`);
        const text = `${space}{${space}${[...before, `"json"${space}:${space}${JSON.stringify(value)}${space}`].join(`${space},${space}`)}}`;
        expect(memberText(text, 'json')).toBe(JSON.stringify(value));
      },
    ),
    { numRuns: 1000 },
  );
});

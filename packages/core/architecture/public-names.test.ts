import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryPoints, exportedNames } from './public-names.ts';

const core = join(import.meta.dirname, '..');

/** A new public name is a decision: `npx vitest run packages/core/architecture -u` writes it into the list beside this file. */
test('the public names of every context are the listed ones', async () => {
  const names = entryPoints(core).map(({ name, file }) => {
    const exported = exportedNames(file, readFileSync(file, 'utf8'));
    return [`@doska/core/${name}`, ...exported.map((one) => `  ${one}`)].join('\n');
  });
  expect(names.length).toBeGreaterThan(5);
  await expect(names.join('\n') + '\n').toMatchFileSnapshot('public-names.txt');
});

test('an entry point that exports everything of another file is refused', () => {
  expect(() => exportedNames('index.ts', "export * from './offer.ts';")).toThrow(
    'index.ts: name what is exported',
  );
  expect(
    exportedNames('index.ts', "export { b, type A } from './x.ts';\nexport type { C } from './y.ts';"),
  ).toEqual(['A', 'C', 'b']);
});

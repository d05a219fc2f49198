import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

type Requirement = {
  readonly section: string;
  readonly sentence: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
};

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'doska-requirements-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['scripts/requirements.mjs', ...args], { cwd: root, encoding: 'utf8' });
const read = (...args: readonly string[]) =>
  JSON.parse(run('--json', ...args).stdout) as Record<string, Requirement>;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
/** Written in two parts, so that this file itself does not claim to show them. */
const title = (...ids: readonly string[]): string =>
  `test('${ids.map((id) => `[${id}]`).join(' ')} it works');`;

test('every id in the title of a test is in docs/requirements.md', () => {
  const { status, stderr, stdout } = run();
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Not yet shown by a test: .+/m);
});
test('the document has every series of ids, one sentence each', () => {
  const ids = read();
  const sizes = { G: 17, V: 16, S: 15, F: 11, P: 15, T: 6, B: 19, C: 6, K: 9, H: 8 };
  for (const [letter, size] of Object.entries(sizes))
    for (let n = 1; n <= size; n++)
      expect(ids[`${letter}${n}`]?.sentence, `${letter}${n}`).toMatch(/^[A-Z`0-9].*\.$/);
});
test('a title with several ids counts for each of them', () => {
  const found = read();
  const both = found['E1']!.tests.filter(({ title }) => title.startsWith(['[E1]', '[E6]'].join(' ')));
  expect(both).toHaveLength(1);
  expect(found['E6']!.tests).toContainEqual(both[0]);
});
test('tests, contract suites and case files count', () => {
  write('docs/requirements.md', '## First\n| A1 | A sentence. | |\n| A2 | Another one. | |\n');
  write('packages/a/src/a.test.ts', title('A1'));
  write('packages/a/src/a.contract.ts', title('A1'));
  write('packages/a/src/a.cases.ts', `{ title: '${['[A1]', 'a case'].join(' ')}' }`);
  const found = read('--root', folder);
  expect(found['A1']).toMatchObject({ section: 'First', sentence: 'A sentence.' });
  expect(found['A1']!.tests.map(({ file }) => file)).toEqual([
    'packages/a/src/a.cases.ts',
    'packages/a/src/a.contract.ts',
    'packages/a/src/a.test.ts',
  ]);
  expect(run('--root', folder).stdout).toContain('Not yet shown by a test: A2');
});
test('an id that the document does not have is refused, with its test', () => {
  write('docs/requirements.md', '## First\n| A1 | A sentence. | |\n');
  write('packages/a/src/a.test.ts', title('A1', 'A9'));
  const { status, stderr } = run('--root', folder);
  expect(status).toBe(1);
  expect(stderr).toContain('A9');
  expect(stderr).toContain('packages/a/src/a.test.ts');
});
test('an id that stands twice in the document is refused', () => {
  write('docs/requirements.md', '## First\n| A1 | A sentence. | |\n| A1 | Another one. | |\n');
  expect(run('--root', folder)).toMatchObject({ status: 1 });
});
test('--check fails for an id without a test and names it', () => {
  expect(run('--check', 'E1', 'B13').status).toBe(0);
  const { status, stderr } = run('--check', 'E1', 'ZZ99');
  expect(status).toBe(1);
  expect(stderr).toContain('ZZ99');
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.cache', 'data', 'generated']);
const documents = (dir = ''): string[] =>
  readdirSync(join(ROOT, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : documents(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
/** Relative links only; what lies elsewhere is not ours to check. */
const links = (path: string): string[] =>
  [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));

describe('documents', () => {
  test('there are some, and every package has its own', () => {
    const found = documents();
    expect(found).toContain('README.md');
    const packages = [
      ...readdirSync(join(ROOT, 'packages'))
        .filter((name) => name !== 'apps')
        .map((name) => `packages/${name}`),
      ...readdirSync(join(ROOT, 'packages/apps')).map((name) => `packages/apps/${name}`),
    ];
    expect(packages.filter((name) => !found.includes(`${name}/README.md`))).toEqual([]);
  });
  test.each(documents())('every link of %s leads somewhere', (path) => {
    expect(links(path).filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([]);
  });
});

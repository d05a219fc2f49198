import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
const sources = (dir: string): string[] =>
  readdirSync(join(ROOT, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : sources(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
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
  test('every alarm has a page, and the pages name only metrics that the platform has', () => {
    const pages = documents('docs/operations');
    const main = readFileSync(join(ROOT, 'docs/operations/README.md'), 'utf8');
    for (const page of pages.filter((path) => !path.endsWith('README.md')))
      expect(main).toContain(`](${basename(page)})`);
    const known = new Set(
      sources('packages').flatMap((path) =>
        [...readFileSync(join(ROOT, path), 'utf8').matchAll(/name: '(doska_[a-z_]+)'/g)].map(
          ([, name]) => name,
        ),
      ),
    );
    const named = pages.flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bdoska_[a-z_]+/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      ),
    );
    expect(new Set(named).size).toBeGreaterThan(8);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

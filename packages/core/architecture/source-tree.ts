import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** A source file by its path from the root of the repository, and what it imports. */
export type SourceFile = {
  readonly path: string;
  /** Relative ones as paths from the root (`packages/…`), others as written. */
  readonly imports: readonly string[];
};

const SOURCES = /^packages\/(?!.*(?:^|\/)(?:node_modules|dist)\/).*\.ts$/;

/** `import`, `export … from`, `import()` and type imports alike. */
export const sourceFile = (path: string, text: string): SourceFile => ({
  path,
  imports: ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? posix.join(posix.dirname(path), fileName) : fileName,
    ),
});

const walk = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return ['node_modules', 'dist'].includes(entry.name) ? [] : walk(root, path);
  });

export const sourceTree = (root: string): SourceFile[] =>
  walk(root, 'packages')
    .filter((path) => SOURCES.test(path))
    .map((path) => sourceFile(path, readFileSync(join(root, path), 'utf8')));

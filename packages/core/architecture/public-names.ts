import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The names that an entry point exports, in order. It follows `export … from` no further than the entry point itself. */
export const exportedNames = (file: string, text: string): string[] => {
  const names: string[] = [];
  for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements)
    if (ts.isExportDeclaration(statement)) {
      if (!statement.exportClause || !ts.isNamedExports(statement.exportClause))
        throw new Error(`${file}: name what is exported`);
      names.push(...statement.exportClause.elements.map(({ name }) => name.text));
    }
  return names.sort();
};

/** Entry points of the contexts: `gost`, `gost/storage`, … Those for tests may grow freely. */
export const entryPoints = (core: string): readonly { readonly name: string; readonly file: string }[] =>
  readdirSync(join(core, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: context }) =>
      ['index', 'storage'].flatMap((entry) => {
        const file = join(core, 'src', context, `${entry}.ts`);
        const exists = readdirSync(join(core, 'src', context)).includes(`${entry}.ts`);
        return exists ? [{ name: entry === 'index' ? context : `${context}/${entry}`, file }] : [];
      }),
    );

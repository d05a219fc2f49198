import type { SourceFile } from './source-tree.ts';

/** Every ring of files that import each other, each once, by the path of one of its files. Type imports count too. */
export const cycles = (files: readonly SourceFile[]): string[] => {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    state.set(path, 'open');
    trail.push(path);
    for (const target of importsOf.get(path) ?? []) {
      if (!importsOf.has(target)) continue;
      if (state.get(target) === 'open')
        found.push([...trail.slice(trail.indexOf(target)), target].join(' -> '));
      if (!state.has(target)) visit(target);
    }
    trail.pop();
    state.set(path, 'done');
  };
  for (const { path } of files) if (!state.has(path)) visit(path);
  return found;
};

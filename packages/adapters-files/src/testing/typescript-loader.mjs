// `node --import`: lets a child process of a test run TypeScript sources, which Node 20 can't by itself.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

if (new URL(import.meta.url).searchParams.has('hooks') === false) register(`${import.meta.url}?hooks`);

export const load = async (url, context, next) => {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(await readFile(fileURLToPath(url), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
    },
  });
  return { format: 'module', shortCircuit: true, source: outputText };
};

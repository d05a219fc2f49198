import { readFileSync } from 'node:fs';

export type Shell = { readonly command: string; readonly expected: readonly string[] };

const blocks = (path: URL, language: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text]) => text ?? '',
  );

/** The commands of a document's console blocks, each with the lines that must come. */
export const consoleOf = (path: URL): readonly Shell[] =>
  blocks(path, 'console').flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [command = '', ...expected] = part.trimEnd().split('\n');
        return { command, expected };
      }),
  );
/** The programs of a document. */
export const programsOf = (path: URL): readonly string[] => blocks(path, 'ts');

/** `…` stands for whatever is different every time; runs of blanks, and of dashes, are one. */
export const matches = (expected: string, actual: string): boolean => {
  const squeezed = (text: string): string => text.replace(/\s+/g, ' ').replace(/-{3,}/g, '---').trim();
  const pattern = squeezed(expected)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`).test(squeezed(actual));
};

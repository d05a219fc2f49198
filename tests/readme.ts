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

/** Expected lines that the output lacks. A line that is only `…` stands for any number of lines. */
export const missingLines = (expected: readonly string[], actual: readonly string[]): readonly string[] => {
  const missing: string[] = [];
  let at = 0;
  let mayLeap = false;
  for (const line of expected) {
    if (line.trim() === '…') {
      mayLeap = true;
      continue;
    }
    const found = mayLeap
      ? actual.findIndex((one, i) => i >= at && matches(line, one))
      : matches(line, actual[at] ?? '')
        ? at
        : -1;
    if (found < 0) missing.push(line);
    at = (found < 0 ? at : found) + 1;
    mayLeap = false;
  }
  if (missing.length === 0 && !mayLeap && at < actual.length) missing.push(`no more after line ${at}`);
  return missing;
};

const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\n' || char === '\r';

/** Where the string that begins at `at` ends, behind its closing quote. */
const endOfString = (text: string, at: number): number => {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
};
/** Where the value that begins at `at` ends. */
const endOfValue = (text: string, at: number): number => {
  let depth = 0;
  let end = at;
  for (;;) {
    const char = text[end]!;
    if (char === '"') {
      end = endOfString(text, end);
      continue;
    }
    if (depth === 0 && (char === ',' || char === '}')) return end;
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    end++;
  }
};

/**
 * The value of a member of a JSON object as it stands in the text, so that long numbers and the order of keys survive.
 * `text` must be a JSON object.
 */
export const memberText = (text: string, name: string): string | undefined => {
  let at = text.indexOf('{') + 1;
  for (;;) {
    while (isSpace(text[at]!) || text[at] === ',') at++;
    if (text[at] === '}') return undefined;
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const valueAt = text.indexOf(':', keyEnd) + 1;
    const end = endOfValue(text, valueAt);
    if (key === name) return text.slice(valueAt, end).trim();
    at = end;
  }
};

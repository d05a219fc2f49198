const EN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const RU = 'йцукенгшщзхъфывапролджэячсмитьбюё';
const toRussian = new Map([...EN].map((key, at) => [key, RU[at]!] as const));
const toEnglish = new Map([...EN].map((key, at) => [RU[at]!, key] as const));

/** What the same keys write in the other layout; undefined if a key writes no letter there. */
export const otherLayout = (text: string): string | undefined => {
  const lower = text.toLowerCase();
  const isLatin = /[a-z]/.test(lower);
  const isCyrillic = /[а-яё]/.test(lower);
  if (isLatin === isCyrillic) return undefined;
  const keys = isLatin ? toRussian : toEnglish;
  let other = '';
  for (const char of lower) {
    const letter = keys.get(char);
    if (letter === undefined) return undefined;
    other += letter;
  }
  return other;
};

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'];
const neighbours = new Set<string>();
for (const row of ROWS)
  for (let at = 1; at < row.length; at++) {
    neighbours.add(row[at - 1]! + row[at]!);
    neighbours.add(row[at]! + row[at - 1]!);
  }
/** Whether two letters are side by side on the keyboard. */
export const areNeighbours = (a: string, b: string): boolean => neighbours.has(a + b);

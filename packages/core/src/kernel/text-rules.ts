import type { Violation } from './errors.ts';
import { utf8Bytes } from './utf8-bytes.ts';

/** What a text of a caller may be. Without `charsMin` it may be empty or blank. */
export type TextRules = {
  /** Characters as people count them: code points. With a minimum the text must also show something. */
  readonly charsMin?: number;
  readonly charsMax: number;
  readonly bytesMax?: number;
  /** New lines and tabs are allowed. */
  readonly lines?: boolean;
};

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** Most texts have none of these, so one look is enough for them. */
const CONTROL_OR_SURROGATE = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/;
/** Something that a reader sees: no blank, nothing of zero width, no blank Braille pattern. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u;

/** Whether the text shows nothing: it is empty, or has only blanks and characters of zero width. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text);
/** Compares in code points. It counts only a text whose code units do not decide it. */
export const isLongerThan = (text: string, charsMax: number): boolean =>
  text.length > charsMax && (text.length > 2 * charsMax || [...text].length > charsMax);

/** Everything that is wrong with the text, under the name of its field. */
export const textViolations = (
  path: string,
  text: string,
  { charsMin = 0, charsMax, bytesMax = Infinity, lines = false }: TextRules,
): readonly Violation[] => {
  const found: Violation[] = [];
  const refuse = (code: string, message: string): void => void found.push({ path, code, message });
  if (isLongerThan(text, charsMax)) refuse('TooLong', `at most ${charsMax} characters`);
  else if (text.length > bytesMax / 3 && utf8Bytes(text) > bytesMax)
    refuse('TooLong', `at most ${bytesMax} bytes`);
  if (charsMin === 1 && text === '') refuse('Missing', 'a value is required');
  else if (charsMin > 1 && !isLongerThan(text.trim(), charsMin - 1))
    refuse('TooShort', `at least ${charsMin} characters`);
  else if (charsMin > 0 && isBlank(text)) refuse('Blank', 'only blanks or invisible characters');
  if (!CONTROL_OR_SURROGATE.test(text)) return found;
  if ((lines ? CONTROL_IN_LINES : CONTROL).test(text))
    refuse(
      'ControlCharacter',
      lines ? 'no control characters but new lines and tabs' : 'no control characters',
    );
  if (!isWellFormed(text)) refuse('InvalidText', 'half of a surrogate pair');
  return found;
};
/** False if the text has half of a surrogate pair: such a text has no UTF-8 bytes. */
export const isWellFormed = (text: string): boolean => text.isWellFormed();

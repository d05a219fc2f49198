import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type InvalidInput } from '../../kernel/index.ts';

/** A path that names a section, a key and perhaps a language, both still percent-encoded. */
export type PathParts = {
  readonly name: string;
  readonly key: string;
  readonly language: string | undefined;
};

/**
 * Splits a path behind the longest name that leaves one segment, the key. With `mayHaveLanguage`, a name that leaves two
 * (key and language) is second choice. Undefined if no name fits. `path` has no leading slash.
 */
export const splitPath = (
  isName: (name: string) => boolean,
  path: string,
  mayHaveLanguage: boolean,
): PathParts | undefined => {
  const last = path.lastIndexOf('/');
  if (last <= 0) return undefined;
  const name = path.slice(0, last);
  if (isName(name)) return { name, key: path.slice(last + 1), language: undefined };
  if (!mayHaveLanguage) return undefined;
  const before = name.lastIndexOf('/');
  if (before <= 0) return undefined;
  const shorter = name.slice(0, before);
  return isName(shorter)
    ? { name: shorter, key: name.slice(before + 1), language: path.slice(last + 1) }
    : undefined;
};

/** The text of a percent-encoded segment. */
export const decodeSegment = (segment: string, path: string): Result<string, InvalidInput> => {
  if (!segment.includes('%')) return ok(segment);
  try {
    return ok(decodeURIComponent(segment));
  } catch {
    return err(invalidInput({ path, code: 'BadEncoding', message: 'not UTF-8 in percent-encoding' }));
  }
};

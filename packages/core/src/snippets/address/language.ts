import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type InvalidInput } from '../../kernel/index.ts';

/** The form of a BCP 47 tag: a language of 2 to 8 letters and subtags of 1 to 8 letters or digits; or a private tag. */
const TAG = /^(?:[a-z]{2,8}|[ix](?=-))(?:-[a-z0-9]{1,8})*$/;
/** RFC 5646 asks for room for 35 characters at least. */
const TAG_CHARS_MAX = 64;

/** A language as it is stored: small letters, `-` between subtags. Undefined if the text is no tag. */
export const languageTag = (text: string): string | undefined => {
  const tag = text.replaceAll('_', '-').toLowerCase();
  return tag.length <= TAG_CHARS_MAX && TAG.test(tag) ? tag : undefined;
};

/** The language of a request. An empty header is no language; several languages are refused. */
export const languageOf = (text: string | undefined, path: string): Result<string, InvalidInput> => {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return ok('');
  if (trimmed.includes(','))
    return err(invalidInput({ path, code: 'SeveralLanguages', message: 'at most one language' }));
  const tag = languageTag(trimmed);
  return tag === undefined
    ? err(
        invalidInput({
          path,
          code: 'BadLanguage',
          message: 'a BCP 47 tag is expected, like "ru" or "en-us"',
        }),
      )
    : ok(tag);
};

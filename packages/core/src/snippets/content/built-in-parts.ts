import { memberText } from './member-text.ts';
import type { ConvertResult, SnippetInput, SnippetParts } from './snippet-parts.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes the member of each language out of an object, `{"ru": …, "en": …}`, as it stands in the text. */
const byLanguage = ({ json, bytes }: SnippetInput, languages: readonly string[]): ConvertResult => {
  const missing = languages.filter((language) => !isObject(json) || !Object.hasOwn(json, language));
  if (missing.length > 0)
    return {
      kind: 'refused',
      violations: missing.map((language) => ({
        path: `/${language}`,
        code: 'Missing',
        message: 'a member for this language is expected',
      })),
    };
  const text = decoder.decode(bytes);
  return {
    kind: 'converted',
    contents: languages.map((language) => ({
      language,
      bytes: encoder.encode(memberText(text, language)),
    })),
  };
};

const keyOf = (value: unknown): string | undefined => {
  if (typeof value === 'string' && value !== '') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
};

/** The parts that every installation has. */
export const builtInParts: SnippetParts = {
  validators: {
    /** Refuses content without bytes. */
    not_empty: {
      make:
        () =>
        ({ bytes }) =>
          bytes.length > 0 ? [] : [{ path: '', code: 'Missing', message: 'the content is empty' }],
    },
  },
  convertors: {
    by_language: {
      conversions: [{ from: 'json', to: 'json' }],
      languages: 'any',
      make:
        ({ languages = [] }) =>
        (input) =>
          byLanguage(input, languages),
    },
  },
  extractors: {
    /** The member `id` of an object is the key, `language` the language. */
    json_id: {
      formats: ['json'],
      make:
        () =>
        ({ json }) => {
          const key = isObject(json) ? keyOf(json['id']) : undefined;
          if (key === undefined)
            return { kind: 'refused', reason: 'the member "id" is no text and no whole number' };
          const language = isObject(json) ? json['language'] : undefined;
          return typeof language === 'string' ? { kind: 'found', key, language } : { kind: 'found', key };
        },
    },
  },
};

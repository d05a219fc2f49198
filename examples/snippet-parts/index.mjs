// Parts for the snippet service. Set DOSKA_SNIPPETS_MODULES to the name of this package, or to the path of this file.
// The types are SnippetParts, Validator, Convertor and KeyExtractor of @doska/core/snippets.

const text = new TextEncoder();
const refuse = (path, message) => ({ path, code: 'WrongHours', message });

/** `{"open": 9, "close": 21}`: whole hours, and it opens before it closes. */
const checkHours = ({ json }) => {
  const wrong = ['open', 'close'].filter(
    (name) => !Number.isInteger(json?.[name]) || json[name] < 0 || json[name] > 24,
  );
  if (wrong.length > 0)
    return wrong.map((name) => refuse(`/${name}`, 'a whole hour from 0 to 24 is expected'));
  return json.open < json.close ? [] : [refuse('/close', 'it closes before it opens')];
};

const SENTENCES = {
  en: ({ open, close }) => `Open from ${open} to ${close}`,
  ru: ({ open, close }) => `Открыто с ${open} до ${close}`,
};

/** @type {import('@doska/core/snippets').SnippetParts} */
export const snippetParts = {
  validators: {
    // `make` runs once for each section that names the part. The function that it returns runs for each upload.
    opening_hours: { make: () => checkHours },
  },
  convertors: {
    hours_in_words: {
      // What it can do. A configuration that needs more is refused at start.
      conversions: [{ from: 'json', to: 'raw' }],
      languages: Object.keys(SENTENCES),
      make:
        ({ languages = ['en'] }) =>
        ({ json }) => ({
          kind: 'converted',
          contents: languages.map((language) => ({
            language,
            bytes: text.encode(SENTENCES[language](json)),
          })),
        }),
    },
  },
  extractors: {
    place_id: {
      formats: ['json'],
      make:
        () =>
        ({ json }) =>
          typeof json?.place === 'string'
            ? { kind: 'found', key: json.place }
            : { kind: 'refused', reason: 'the member "place" is no text' },
    },
  },
};

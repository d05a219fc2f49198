import { addPrefixes, readPrefixes, writePrefixes, type SnippetParts } from '@doska/core/snippets';

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Sections of every kind, for the tests of the app. */
export const testConfig = `
Body {
  Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true
  Section { Name: "leaf" Body {} }
  Section { Name: "other" Body {} }
  Section { Name: "text" Body { Output: raw } }
  Section { Name: "blob" Body { Output: pb } }
  Section { Name: "short" Body { TtlMinutes: 1 } }
  Section { Name: "chains/1.x" Body {} }
  Section { Name: "a" Body { ChildrenOnly: false Section { Name: "b" Body {} } } }
  Section { Name: "checked" Body { SpecialValidator: "has_name" } }
  Section { Name: "throws" Body { SpecialValidator: "throws" } }
  Section { Name: "texts" Body { SpecialConvertor: "by_language" OutputLanguages: ["ru", "en"] } }
  Section { Name: "twice" Body { Output: raw Input: [json, raw] SpecialConvertor: "to_raw" } }
  Section { Name: "idle" Body { Section { Name: "x" Body {} } } }
  Section {
    Name: "group"
    Body {
      Recursive: ["one", "two", "deep"]
      Section { Name: "one" Body {} }
      Section { Name: "two" Body { SpecialValidator: "has_name" } }
      Section { Name: "three" Body {} }
      Section { Name: "deep" Body { ChildrenOnly: false Recursive: "raw" Section { Name: "raw" Body { Output: raw Input: json SpecialConvertor: "to_raw" } } } }
    }
  }
  Section { Name: "wide" Body { Recursive: ["a", "b", "c", "d", "e"]
    Section { Name: "a" Body {} } Section { Name: "b" Body {} } Section { Name: "c" Body {} } Section { Name: "d" Body {} } Section { Name: "e" Body {} } } }
  Section { Name: "mixed" Body { Recursive: ["json", "pb"] Section { Name: "json" Body {} } Section { Name: "pb" Body { Output: pb } } } }
}
`;
const SECTIONS = [
  'leaf',
  'other',
  'text',
  'blob',
  'short',
  'chains/1.x',
  'a',
  'a/b',
  'checked',
  'throws',
  'texts',
  'twice',
  'idle/x',
  'group/one',
  'group/two',
  'group/three',
  'group/deep',
  'group/deep/raw',
  'wide/a',
  'wide/b',
  'wide/c',
  'wide/d',
  'wide/e',
  'mixed/json',
  'mixed/pb',
];
export const testPrefixes = writePrefixes(addPrefixes(readPrefixes('')._unsafeUnwrap(), SECTIONS).prefixes);

/** Parts of another team. */
export const testParts: SnippetParts = {
  validators: {
    has_name: {
      make:
        () =>
        ({ json }) =>
          typeof (json as { name?: unknown } | null)?.name === 'string'
            ? []
            : [{ path: '/name', code: 'Missing', message: 'a name is needed' }],
    },
    throws: {
      make: () => () => {
        throw new Error('a bug');
      },
    },
  },
  convertors: {
    to_raw: {
      conversions: [
        { from: 'json', to: 'raw' },
        { from: 'raw', to: 'raw' },
      ],
      make:
        () =>
        ({ format, json, bytes }) => ({
          kind: 'converted',
          contents: [{ bytes: format === 'json' ? encode({ was: json }) : bytes }],
        }),
    },
  },
};

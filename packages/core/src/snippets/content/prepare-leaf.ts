import { err, ok, type Result } from 'neverthrow';
import type { Violation } from '../../kernel/index.ts';
import type { Leaf } from '../config/snippet-config.ts';
import { checkJson } from './check-json.ts';
import type {
  Converted,
  ConvertResult,
  Convertor,
  JsonSchemas,
  SnippetInput,
  Validator,
} from './snippet-parts.ts';

export type ContentLimits = { readonly contentBytesMax: number; readonly jsonDepthMax: number };
/** The section refuses the content; the caller can repair it. */
export type LeafRefused = { readonly kind: 'LeafRefused'; readonly violations: readonly Violation[] };
/** A validator or convertor threw or broke its contract. This is a bug of that part. */
export type PartFailed = {
  readonly kind: 'PartFailed';
  readonly section: string;
  readonly what: string;
  readonly cause?: unknown;
};
export type PreparedContent = { readonly language: string; readonly bytes: Uint8Array };
export type PrepareError = LeafRefused | PartFailed;
/** Checks an input and makes the contents to store, one for each language. */
export type PrepareLeaf = (
  input: Omit<SnippetInput, 'json'>,
) => Promise<Result<readonly PreparedContent[], PrepareError>>;

const refused = (...violations: readonly Violation[]): Result<never, LeafRefused> =>
  err({ kind: 'LeafRefused', violations });
const identity: Convertor = ({ bytes }) => ({ kind: 'converted', contents: [{ bytes }] });

/** A convertor must give exactly the languages that it was asked for. */
const languagesMatch = (leaf: Leaf, contents: readonly Converted[]): boolean => {
  if (!leaf.languages) return contents.length === 1 && contents[0]!.language === undefined;
  const given = new Set(contents.map(({ language }) => language));
  return contents.length === leaf.languages.length && leaf.languages.every((language) => given.has(language));
};

/** What was made for a section. Undefined: the section asks for none. */
export type LeafParts = {
  readonly validate: Validator | undefined;
  readonly convert: Convertor | undefined;
};
/** Prepares contents of a section. The schema runs first, then the special validator, then the convertor. */
export const prepareLeaf = (
  leaf: Leaf,
  { validate, convert = identity }: LeafParts,
  schemas: JsonSchemas,
  limits: ContentLimits,
): PrepareLeaf => {
  const { name, output, languages } = leaf;
  const isIdentity = convert === identity;

  const inputViolations = async (input: SnippetInput): Promise<readonly Violation[]> => {
    if (input.format === 'json' && leaf.inputSchema !== undefined) {
      const found = schemas.violations(leaf.inputSchema, input.json);
      if (found.length > 0) return found;
    }
    return (await validate?.(input)) ?? [];
  };
  const outputViolations = ({ bytes }: Converted): readonly Violation[] => {
    if (bytes.length > limits.contentBytesMax)
      return [
        { path: '', code: 'TooLarge', message: `a snippet has at most ${limits.contentBytesMax} bytes` },
      ];
    if (output !== 'json' || isIdentity) return [];
    return checkJson(bytes, limits.jsonDepthMax).match(
      (value) => (leaf.outputSchema === undefined ? [] : schemas.violations(leaf.outputSchema, value)),
      (violation) => [violation],
    );
  };
  const contentsOf = (made: ConvertResult): Result<readonly PreparedContent[], PrepareError> => {
    if (made.kind === 'refused') return refused(...made.violations);
    if (!languagesMatch(leaf, made.contents))
      return err({
        kind: 'PartFailed',
        section: name,
        what: 'the convertor gave other languages than it was asked for',
      });
    const wrong = made.contents.flatMap(outputViolations);
    return wrong.length > 0
      ? refused(...wrong)
      : ok(made.contents.map(({ bytes, language = '' }) => ({ bytes, language })));
  };

  return async (input) => {
    const json = input.format === 'json' ? checkJson(input.bytes, limits.jsonDepthMax) : ok(undefined);
    if (json.isErr()) return refused(json.error);
    const whole: SnippetInput = {
      format: input.format,
      bytes: input.bytes,
      json: json.value,
      key: input.key,
      language: input.language,
    };
    try {
      const violations = await inputViolations(whole);
      if (violations.length > 0) return refused(...violations);
      const made = await convert(whole);
      return contentsOf(made).map((contents) =>
        languages ? contents : contents.map(({ bytes }) => ({ bytes, language: input.language })),
      );
    } catch (cause) {
      return err({ kind: 'PartFailed', section: name, what: 'a validator or convertor threw', cause });
    }
  };
};

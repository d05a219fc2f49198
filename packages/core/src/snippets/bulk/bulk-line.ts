import { err, ok, Result } from 'neverthrow';
import { invalidInput, type InvalidInput, type Violation } from '../../kernel/index.ts';
import { languageOf } from '../address/language.ts';
import { checkJson } from '../content/check-json.ts';
import type { DataFormat } from '../address/data-format.ts';
import type { Condition } from '../store/stored-row.ts';
import { parseVersion } from '../version/version.ts';
import { memberText } from '../content/member-text.ts';

export type BulkContent = {
  readonly type: { readonly contentType: string | undefined } | { readonly format: DataFormat };
  readonly bytes: Uint8Array;
};
/** What one line of a bulk upload asks for. */
export type BulkLine = {
  readonly key: string;
  readonly language: string;
  readonly condition: Condition | undefined;
  /** Undefined: the snippet is deleted. */
  readonly content: BulkContent | undefined;
};

const CONTENTS = ['json', 'text', 'base64', 'delete'] as const;
const MEMBERS = ['key', 'language', 'type', 'ifMatch', 'ifNoneMatch', ...CONTENTS] as const;
type Member = (typeof MEMBERS)[number];
type Line = Readonly<Partial<Record<Member, unknown>>>;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

const wrong = (path: string, message: string): Result<never, InvalidInput> =>
  err(invalidInput({ path, code: 'WrongValue', message }));

/** A member that is a text or is missing. */
const textOf = (line: Line, name: Member): Result<string | undefined, InvalidInput> => {
  const value = line[name];
  return value === undefined || typeof value === 'string' ? ok(value) : wrong(name, 'a text is expected');
};
const conditionOf = (
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): Result<Condition | undefined, InvalidInput> => {
  if (ifMatch !== undefined && ifNoneMatch !== undefined)
    return wrong('ifNoneMatch', 'either ifMatch or ifNoneMatch is expected');
  if (ifNoneMatch !== undefined)
    return ifNoneMatch === '*' ? ok({ kind: 'absent' }) : wrong('ifNoneMatch', 'only * is expected');
  if (ifMatch === undefined) return ok(undefined);
  if (ifMatch === '*') return ok({ kind: 'exists' });
  const version = parseVersion(ifMatch);
  return version ? ok({ kind: 'version', version }) : wrong('ifMatch', 'a version or * is expected');
};
const contentOf = (
  text: string,
  line: Line,
  type: string | undefined,
): Result<BulkContent | undefined, InvalidInput> => {
  const [given, second] = CONTENTS.filter((name) => line[name] !== undefined);
  if (given === undefined || second !== undefined)
    return wrong(second ?? 'json', `exactly one of ${CONTENTS.join(', ')} is expected`);
  if (type !== undefined && (given === 'json' || given === 'delete'))
    return wrong('type', `"${given}" has no type of its own`);
  if (given === 'json')
    return ok({ type: { format: 'json' }, bytes: encoder.encode(memberText(text, 'json')) });
  if (given === 'delete')
    return line.delete === true ? ok(undefined) : wrong('delete', 'only true is expected');
  const value = line[given];
  if (typeof value !== 'string') return wrong(given, 'a text is expected');
  if (given === 'text') return ok({ type: { contentType: type }, bytes: encoder.encode(value) });
  if (!BASE64.test(value)) return wrong('base64', 'base64 is expected');
  const bytes = Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
  return ok({ type: { contentType: type }, bytes });
};

/** Reads one line of a bulk upload. `depthMax` is the deepest nesting of a content. */
export const readBulkLine = (bytes: Uint8Array, depthMax: number): Result<BulkLine, InvalidInput> =>
  checkJson(bytes, depthMax + 1)
    .mapErr((violation: Violation) => invalidInput(violation))
    .andThen((value): Result<BulkLine, InvalidInput> => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return wrong('', 'an object is expected');
      const line = value as Line;
      const unknown = Object.keys(line).find((name) => !(MEMBERS as readonly string[]).includes(name));
      if (unknown !== undefined) return wrong(unknown, `unknown member; there are: ${MEMBERS.join(', ')}`);
      const texts = Result.combine([
        textOf(line, 'key'),
        textOf(line, 'language'),
        textOf(line, 'type'),
        textOf(line, 'ifMatch'),
        textOf(line, 'ifNoneMatch'),
      ]);
      return texts.andThen(([key, tag, type, ifMatch, ifNoneMatch]) =>
        Result.combine([
          key === undefined ? wrong('key', 'a key is expected') : ok(key),
          languageOf(tag, 'language'),
          conditionOf(ifMatch, ifNoneMatch),
          contentOf(decoder.decode(bytes), line, type),
        ]).map(([named, language, condition, content]) => ({
          key: named,
          language,
          condition,
          content,
        })),
      );
    });

import { YqlError } from '../yql-error.ts';
import type { TypeSyntax } from './ast.ts';
import type { TokenStream } from './token-stream.ts';

export const PRIMITIVES = [
  'Bool',
  'Int8',
  'Uint8',
  'Int16',
  'Uint16',
  'Int32',
  'Uint32',
  'Int64',
  'Uint64',
  'Float',
  'Double',
  'Date',
  'Datetime',
  'Timestamp',
  'Interval',
  'String',
  'Utf8',
  'Yson',
  'Json',
  'JsonDocument',
  'Uuid',
] as const;
const KNOWN: ReadonlySet<string> = new Set(PRIMITIVES);

/** `<` … `>` around a type's own parts. */
const inAngles = <T>(tokens: TokenStream, inner: () => T): T => {
  tokens.needSign('<');
  const found = inner();
  tokens.needSign('>');
  return found;
};
const bare = (tokens: TokenStream): TypeSyntax => {
  const name = tokens.name('a type');
  switch (name) {
    case 'Optional':
      return { kind: 'optional', item: inAngles(tokens, () => parseType(tokens)) };
    case 'List':
      return { kind: 'list', item: inAngles(tokens, () => parseType(tokens)) };
    case 'Tuple':
      return { kind: 'tuple', items: inAngles(tokens, () => tokens.list(() => parseType(tokens))) };
    case 'Struct': {
      const member = (): [string, TypeSyntax] => {
        const member = tokens.name('a member');
        tokens.needSign(':');
        return [member, parseType(tokens)];
      };
      return { kind: 'struct', members: inAngles(tokens, () => tokens.list(member)) };
    }
    case 'Decimal':
      return tokens.inParentheses(() => {
        const precision = tokens.integer();
        tokens.needSign(',');
        return { kind: 'decimal', precision, scale: tokens.integer() };
      });
    default:
      if (!KNOWN.has(name)) throw YqlError.unsupported(`type ${name}`);
      return { kind: 'primitive', name };
  }
};
/** `Utf8`, `Optional<Utf8>`, `Utf8?`, `List<Struct<a:Utf8,b:Uint64?>>`, `Decimal(22,9)`. */
export const parseType = (tokens: TokenStream): TypeSyntax => {
  let type = bare(tokens);
  while (tokens.sign('?')) type = { kind: 'optional', item: type };
  return type;
};

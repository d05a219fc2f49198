import { err, ok, type Result } from 'neverthrow';
import type { Violation } from '../../kernel/index.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const COLON = 0x3a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The deepest nesting and the number of members, counted without parsing. Only right for a text that is JSON. */
const scan = (bytes: Uint8Array): { readonly depth: number; readonly members: number } => {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (OPEN.has(byte)) deepest = Math.max(deepest, ++depth);
    else if (CLOSE.has(byte)) depth--;
    else if (byte === COLON) members++;
  }
  return { depth: deepest, members };
};
const countMembers = (value: unknown): { members: number; hasProto: boolean } => {
  const total = { members: 0, hasProto: false };
  const visit = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    if (Array.isArray(one)) return one.forEach(visit);
    const keys = Object.keys(one);
    total.members += keys.length;
    for (const key of keys) {
      if (key === '__proto__') total.hasProto = true;
      visit((one as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  return total;
};
const refuse = (code: string, message: string): Result<never, Violation> => err({ path: '', code, message });

/**
 * Reads bytes as JSON. It refuses what readers understand differently: a key twice in one object, the key `__proto__`, and
 * deeper nesting than `depthMax`.
 */
export const checkJson = (bytes: Uint8Array, depthMax: number): Result<unknown, Violation> => {
  const { depth, members } = scan(bytes);
  if (depth > depthMax) return refuse('TooDeep', `at most ${depthMax} objects and lists inside each other`);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    return refuse('NotJson', 'not JSON in UTF-8');
  }
  const found = countMembers(value);
  if (found.hasProto) return refuse('BadKey', 'the key "__proto__" is not allowed');
  if (found.members !== members) return refuse('DuplicateKey', 'an object has a key twice');
  return ok(value);
};

/** A name that, whatever is under it, must not be in a log. A number can't be a secret: a lease's `token` is one. */
const SECRET =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*token|.*secret|.*password|.*private_?key|api_?key|contacts?|phones?|emails?)$/i;
const REDACTED = '[redacted]';
const BEARER = /\b(bearer)\s+[\w.~+/=-]+/gi;
const URL_PASSWORD = /(\w:\/\/[^\s:@/]*):[^\s@/]+@/g;

const DEPTH_MAX = 6;
const ITEMS_MAX = 50;
const TEXT_MAX = 8_192;

/** Also inside of a text: a token in a header, a password in a connection string. */
export const plainText = (text: string): string => {
  const cut = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (${text.length} characters)` : text;
  return cut.replace(BEARER, `$1 ${REDACTED}`).replace(URL_PASSWORD, `$1:${REDACTED}@`);
};

const plainError = (error: Error, depth: number): unknown => ({
  name: error.name,
  message: plainText(error.message),
  ...(error.stack === undefined ? {} : { stack: plainText(error.stack) }),
  // Codes of drivers and the like; and the whole chain of causes.
  ...plainObject(error, depth),
  ...(error.cause === undefined ? {} : { cause: plainAt(error.cause, depth + 1) }),
});

const plainObject = (value: object, depth: number): Record<string, unknown> => {
  const entries = Object.entries(value);
  const shown = entries.slice(0, ITEMS_MAX).map(([key, item]): [string, unknown] => {
    const secret = SECRET.test(key) && typeof item !== 'number' && item !== undefined && item !== null;
    return [key, secret ? REDACTED : plainAt(item, depth + 1)];
  });
  if (entries.length > ITEMS_MAX) shown.push(['…', `${entries.length - ITEMS_MAX} more`]);
  return Object.fromEntries(shown);
};

const plainAt = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return plainText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH_MAX) return '[deep]';
  if (value instanceof Error) return plainError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map || value instanceof Set) return plainAt([...value], depth);
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const shown = items.slice(0, ITEMS_MAX).map((item) => plainAt(item, depth + 1));
    return items.length > ITEMS_MAX ? [...shown, `… ${items.length - ITEMS_MAX} more`] : shown;
  }
  return plainObject(value, depth);
};

/** Fields as a log may hold them: bounded, without secrets, errors with their causes, whatever was passed. */
export const plain = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  plainObject(fields, 0);

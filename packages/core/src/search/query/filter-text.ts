import { err, ok, type Result } from 'neverthrow';
import type { Violation } from '../../kernel/index.ts';

/** One filter of a request: some values, or a range of numbers. */
export type ChosenFilter = { readonly id: string } & (
  | { readonly kind: 'values'; readonly values: readonly string[] }
  | { readonly kind: 'range'; readonly min: number | undefined; readonly max: number | undefined }
);

const ID = /^(attr\.[A-Za-z0-9_-]{1,100}|[A-Za-z]{1,40})$/;
const RANGE = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/;
/** A value may hold every character: `\` stands before a `,` or `\` that is a part of it. */
const splitValues = (text: string): readonly string[] | undefined => {
  const values: string[] = [];
  let value = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') {
      const next = text[++at];
      if (next !== ',' && next !== '\\') return undefined;
      value += next;
    } else if (char === ',') {
      values.push(value);
      value = '';
    } else value += char;
  }
  values.push(value);
  return values.every((one) => one !== '') ? values : undefined;
};
const escaped = (value: string): string => value.replace(/[\\,]/g, (char) => `\\${char}`);

/**
 * `id:value,value` or `id:min..max`, where one bound of a range may be missing. The same text in addresses, on the
 * command line and in logs.
 */
export const parseFilter = (text: string, path: string): Result<ChosenFilter, Violation> => {
  const malformed = (message: string): Result<never, Violation> => err({ path, code: 'Malformed', message });
  const colon = text.indexOf(':');
  const id = text.slice(0, Math.max(0, colon));
  if (colon < 0 || !ID.test(id)) return malformed('a filter is `id:value,value` or `id:min..max`');
  const rest = text.slice(colon + 1);
  const range = RANGE.exec(rest);
  if (range) {
    const [, min, max] = range;
    if (min === undefined && max === undefined) return malformed('a range has at least one bound');
    const bounds = {
      min: min === undefined ? undefined : Number(min),
      max: max === undefined ? undefined : Number(max),
    };
    if (bounds.min !== undefined && bounds.max !== undefined && bounds.min > bounds.max)
      return err({ path, code: 'Range', message: 'the lower bound is above the upper one' });
    return ok({ id, kind: 'range', ...bounds });
  }
  const values = splitValues(rest);
  return values
    ? ok({ id, kind: 'values', values: [...new Set(values)] })
    : malformed('values are separated by `,`; write `\\,` for a comma and `\\\\` for a backslash');
};

export const formatFilter = (filter: ChosenFilter): string =>
  filter.kind === 'range'
    ? `${filter.id}:${filter.min ?? ''}..${filter.max ?? ''}`
    : `${filter.id}:${filter.values.map(escaped).join(',')}`;

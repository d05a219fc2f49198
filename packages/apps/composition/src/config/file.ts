import { readFileSync } from 'node:fs';
import { err, ok, Result } from 'neverthrow';
import { nearest } from './nearest.ts';

/** Values by path: `httpPort`, `gost.exportShards`. */
export type Given = ReadonlyMap<string, unknown>;
type Lines = readonly string[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (path: string): Result<Record<string, unknown>, Lines> => {
  const text = Result.fromThrowable(() => readFileSync(path, 'utf8'))();
  if (text.isErr()) return err([`DOSKA_CONFIG: ${path} can't be read`]);
  const json = Result.fromThrowable((): unknown => JSON.parse(text.value))();
  return json.isOk() && isObject(json.value)
    ? ok(json.value)
    : err([`DOSKA_CONFIG: ${path} is not a JSON object`]);
};

/** Objects of the file are contexts: their keys get the context's name in front. */
const flat = (file: Record<string, unknown>): Given =>
  new Map(
    Object.entries(file).flatMap(([key, value]): [string, unknown][] =>
      isObject(value)
        ? Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one])
        : [[key, value]],
    ),
  );

/** Reads the file named by DOSKA_CONFIG. Every setting of it must exist: a typo must not become a default. */
export const readConfigFile = (path: string | undefined, paths: readonly string[]): Result<Given, Lines> => {
  if (path === undefined) return ok(new Map());
  return parsed(path).andThen((file) => {
    const given = flat(file);
    const unknown = [...given.keys()].filter((key) => !paths.includes(key));
    if (unknown.length === 0) return ok(given);
    return err(
      unknown.map((key) => {
        const similar = nearest(key, paths, Math.floor(key.length / 2));
        return `DOSKA_CONFIG: ${path} has a setting that does not exist: ${key}${similar === undefined ? '' : `; the nearest one is ${similar}`}`;
      }),
    );
  });
};

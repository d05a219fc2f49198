import { err, ok, Result } from 'neverthrow';
import { arrayColumns } from './row-set.ts';
import { parametersOf, type FunctionSpec } from './sql-function.ts';

/** `{{parameters}}`, or `{{offers: id, version}}` for rows of a set. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const fromClause = (
  { rows }: FunctionSpec,
  set: string,
  wanted: readonly string[],
): Result<string, string> => {
  const columns = rows[set];
  if (!columns) return err(`there is no row set "${set}"`);
  const unknown = wanted.find((column) => !(column in columns));
  if (unknown !== undefined) return err(`the row set "${set}" has no column "${unknown}"`);
  const names = wanted.flatMap((column) =>
    arrayColumns({ [column]: columns[column]! }).map(({ name }) => name),
  );
  return ok(`unnest(${names.map((name) => `${set}_${name}`).join(', ')}) ${set}(${names.join(', ')})`);
};

const replacement = (spec: FunctionSpec, inside: string): Result<string, string> => {
  const [set = '', columns] = inside.split(':').map((part) => part.trim());
  if (columns !== undefined)
    return fromClause(
      spec,
      set,
      columns.split(',').map((column) => column.trim()),
    );
  return set === 'parameters'
    ? ok(
        parametersOf(spec)
          .map(({ name, type }) => `\n  ${name} ${type}`)
          .join(','),
      )
    : err(`"${inside}" is neither "parameters" nor "<row set>: <columns>"`);
};

/** Names in the text that look like a parameter of a row set and are none. */
const strangers = (spec: FunctionSpec, text: string): readonly string[] => {
  const known = new Set(parametersOf(spec).map(({ name }) => name));
  const likely = new RegExp(`\\b(${Object.keys(spec.rows).join('|')})_[a-z_]+\\b`, 'g');
  return [...text.matchAll(likely)].map(([name]) => name).filter((name) => !known.has(name));
};
const unused = (spec: FunctionSpec, text: string): string | undefined =>
  parametersOf(spec).find(({ name }) => text.split(new RegExp(`\\b${name}\\b`)).length < 3)?.name;

/**
 * Fills in the placeholders of a function's file:
 * - `{{parameters}}` becomes the parameter list of the spec;
 * - `{{offers: id, head}}` becomes the rows of the set `offers` with these columns, to stand in a `from`. A column of
 *   bytes gives two: `substring(frame from offers.head_start for offers.head_length)`.
 *
 * The error says where the text and the spec disagree: an unknown row set, column or parameter, or a parameter that
 * the body never uses.
 */
export const functionText = (file: string, spec: FunctionSpec | undefined): Result<string, string> => {
  const found = [...file.matchAll(PLACEHOLDER)];
  if (!spec) return found.length === 0 ? ok(file) : err('has placeholders, but no spec to fill them in from');
  if (!found.some(([, inside]) => inside === 'parameters')) return err('lacks {{parameters}}');
  return Result.combine(found.map(([, inside = '']) => replacement(spec, inside))).andThen((texts) => {
    let next = 0;
    const text = file.replace(PLACEHOLDER, () => texts[next++]!);
    const [stranger] = strangers(spec, text);
    if (stranger !== undefined) return err(`there is no parameter "${stranger}"`);
    const idle = unused(spec, text);
    return idle === undefined ? ok(text) : err(`the body never uses the parameter "${idle}"`);
  });
};

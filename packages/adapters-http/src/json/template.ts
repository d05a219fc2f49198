import { err, ok, type Result } from 'neverthrow';

/** A step of a path: a word, or the field whose value stands there. */
export type Segment = { readonly literal: string } | { readonly variable: string };
/** `/v1/offers/{offer_id}:hide`: three segments and the verb `hide`. */
export type Template = {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly verb: string | undefined;
};

const LITERAL = /^[A-Za-z0-9_.-]+$/;
const VARIABLE = /^\{([a-z][a-z0-9_]*)\}$/;
const VERB = /^[A-Za-z][A-Za-z0-9]*$/;

const segmentOf = (text: string): Segment | undefined => {
  const variable = VARIABLE.exec(text)?.[1];
  if (variable !== undefined) return { variable };
  return LITERAL.test(text) ? { literal: text } : undefined;
};

/** The templates that we serve: words, variables of one segment each, and a verb at the end. The error is a sentence. */
export const parseTemplate = (text: string): Result<Template, string> => {
  const [, path = '', verb] = /^(.*?)(?::([^:}/]*))?$/.exec(text) ?? [];
  if (!path.startsWith('/')) return err(`${text} does not begin with /`);
  if (verb !== undefined && !VERB.test(verb)) return err(`${text} has an unsupported verb`);
  const segments: Segment[] = [];
  for (const part of path.slice(1).split('/')) {
    const segment = segmentOf(part);
    if (segment === undefined)
      return err(`${text} has the unsupported segment "${part}": a word or {one_field} is supported`);
    segments.push(segment);
  }
  const names = segments.flatMap((one) => ('variable' in one ? [one.variable] : []));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  return twice === undefined ? ok({ text, segments, verb }) : err(`${text} names ${twice} twice`);
};

/** Whether some path fits both. A verb makes two templates different. */
export const collide = (a: Template, b: Template): boolean =>
  a.verb === b.verb &&
  a.segments.length === b.segments.length &&
  a.segments.every((one, i) => {
    const other = b.segments[i]!;
    return !('literal' in one && 'literal' in other) || one.literal === other.literal;
  });

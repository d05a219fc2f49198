import type { RawProblem } from '@doska/core/feeds';

/** What a schema may say. A file that says more is refused when it is loaded: what is not understood is not checked. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minProperties?: number;
};
export type SchemaFile = JsonSchema & { readonly definitions?: Readonly<Record<string, JsonSchema>> };

const KEYWORDS = new Set(
  (
    '$schema $id title description definitions $ref type properties required additionalProperties items allOf anyOf ' +
    'pattern minimum minLength minProperties'
  ).split(' '),
);
/** Further mistakes of an offer are not told: it is refused anyway. */
const PROBLEMS_MAX = 20;
const SHOWN_CHARS_MAX = 200;

type Refuse = (path: string, message: string, value: unknown) => void;
type Check = (value: unknown, path: string, refuse: Refuse) => void;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const checksOf = (schema: JsonSchema, compiled: (schema: JsonSchema) => Check): readonly Check[] => {
  const { type, properties = {}, required, additionalProperties, items, allOf, anyOf, pattern } = schema;
  const { minimum, minLength, minProperties } = schema;
  const checks: Check[] = [];
  if (type !== undefined) {
    const types = [type].flat();
    checks.push((value, path, refuse) => {
      if (!types.includes(typeOf(value))) refuse(path, `must be ${types.join(' or ')}`, value);
    });
  }
  const own = Object.entries(properties).map(([name, one]) => [name, compiled(one)] as const);
  if (own.length > 0)
    checks.push((value, path, refuse) => {
      if (!isRecord(value)) return;
      for (const [name, check] of own)
        if (Object.hasOwn(value, name)) check(value[name], under(path, name), refuse);
    });
  if (required)
    checks.push((value, path, refuse) => {
      if (!isRecord(value)) return;
      for (const name of required)
        if (!Object.hasOwn(value, name)) refuse(under(path, name), 'this field is required', undefined);
    });
  if (additionalProperties) {
    const rest = compiled(additionalProperties);
    checks.push((value, path, refuse) => {
      if (!isRecord(value)) return;
      for (const [name, one] of Object.entries(value))
        if (!Object.hasOwn(properties, name)) rest(one, under(path, name), refuse);
    });
  }
  if (items) {
    const each = compiled(items);
    checks.push((value, path, refuse) => {
      if (Array.isArray(value)) for (const [n, one] of value.entries()) each(one, `${path}[${n}]`, refuse);
    });
  }
  for (const one of allOf ?? []) checks.push(compiled(one));
  if (anyOf) {
    const ways = anyOf.map(compiled);
    checks.push((value, path, refuse) => {
      const fits = ways.some((way) => {
        let isRight = true;
        way(value, path, () => void (isRight = false));
        return isRight;
      });
      if (!fits) refuse(path, 'has a form that is not allowed here', value);
    });
  }
  if (pattern !== undefined) {
    const wanted = new RegExp(pattern, 'u');
    checks.push((value, path, refuse) => {
      if (typeof value === 'string' && !wanted.test(value)) refuse(path, `must look like ${pattern}`, value);
    });
  }
  if (minimum !== undefined)
    checks.push((value, path, refuse) => {
      if (typeof value === 'number' && value < minimum) refuse(path, `must be at least ${minimum}`, value);
    });
  if (minLength !== undefined)
    checks.push((value, path, refuse) => {
      if (typeof value === 'string' && value.length < minLength) refuse(path, 'must not be empty', value);
    });
  if (minProperties !== undefined)
    checks.push((value, path, refuse) => {
      if (isRecord(value) && Object.keys(value).length < minProperties)
        refuse(path, `must have at least ${minProperties} field`, value);
    });
  return checks;
};

/** Compiles the definition of a file. Throws for a schema that says what is not understood. */
const compile = (files: ReadonlyMap<string, SchemaFile>, file: string, schema: JsonSchema): Check => {
  for (const keyword of Object.keys(schema))
    if (!KEYWORDS.has(keyword)) throw new Error(`${file}: ${keyword} is not supported`);
  const { $ref } = schema;
  const checks = [...checksOf(schema, (inner) => compile(files, file, inner))];
  if ($ref !== undefined) {
    const [, other = '', name = ''] = /^([^#]*)#\/definitions\/([^/]+)$/.exec($ref) ?? [];
    const target = other === '' ? file : other;
    const meant = files.get(target)?.definitions?.[name];
    if (!meant) throw new Error(`${file}: ${$ref} leads nowhere`);
    checks.push(compile(files, target, meant));
  }
  return (value, path, refuse) => {
    for (const check of checks) check(value, path, refuse);
  };
};

export type OfferProblems = (offer: unknown, line: number) => readonly RawProblem[];
/** What the definition `offer` of a file has against an offer. */
export const compileOfferSchema = (files: ReadonlyMap<string, SchemaFile>, file: string): OfferProblems => {
  const check = compile(files, file, { $ref: '#/definitions/offer' });
  return (offer, line) => {
    const problems: RawProblem[] = [];
    check(offer, '', (path, message, value) => {
      if (problems.length >= PROBLEMS_MAX || problems.some((one) => one.path === path)) return;
      const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARS_MAX);
      problems.push({ code: 'validation', path, message, value: shown, line });
    });
    return problems;
  };
};

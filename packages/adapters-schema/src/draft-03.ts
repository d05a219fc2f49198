type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const mapped = (value: unknown, change: (one: unknown) => unknown): unknown =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)])) : value;

/** `type` or `disallow`: names of types, schemas, or a list of both. `any` is everything. */
const typesOf = (value: unknown): Schema | undefined => {
  const types = listOf(value);
  if (types.includes('any')) return undefined;
  if (types.every((type) => typeof type === 'string')) return { type: types.length === 1 ? types[0] : types };
  return { anyOf: types.map((type) => (isSchema(type) ? fromDraft03(type) : { type })) };
};
const requiredOf = (properties: unknown): readonly string[] =>
  isSchema(properties)
    ? Object.keys(properties).filter((name) => {
        const property = properties[name];
        return isSchema(property) && property['required'] === true;
      })
    : [];

const SINGLE = new Set(['additionalProperties', 'additionalItems']);
const MAPS = new Set(['properties', 'patternProperties', 'definitions']);

const keywordOf = (key: string, value: unknown): readonly (readonly [string, unknown])[] => {
  if (key === '$schema' || key === 'required' || key === 'type' || key === 'disallow' || key === 'extends')
    return [];
  if (key === 'divisibleBy') return [['multipleOf', value]];
  if (key === 'dependencies')
    return [[key, mapped(value, (one) => (isSchema(one) ? fromDraft03(one) : listOf(one)))]];
  if (key === 'items')
    return [[key, Array.isArray(value) ? value.map((one) => fromDraft03(one)) : fromDraft03(value)]];
  if (MAPS.has(key)) return [[key, mapped(value, fromDraft03)]];
  return [[key, SINGLE.has(key) ? fromDraft03(value) : value]];
};

/** A schema of draft-03 as one of draft-04 that accepts and refuses the same. */
export const fromDraft03 = (schema: unknown): unknown => {
  if (!isSchema(schema)) return schema;
  const all: unknown[] = [];
  const types = 'type' in schema ? typesOf(schema['type']) : undefined;
  if (types) all.push(types);
  if ('disallow' in schema) all.push({ not: typesOf(schema['disallow']) ?? {} });
  if ('extends' in schema) all.push(...listOf(schema['extends']).map(fromDraft03));
  const required = requiredOf(schema['properties']);
  return {
    ...Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => keywordOf(key, value))),
    ...(required.length > 0 ? { required } : {}),
    ...(all.length > 0 ? { allOf: all } : {}),
  };
};

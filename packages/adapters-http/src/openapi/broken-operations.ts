import type { OpenApiDocument, Operation } from './open-api.ts';

/** The parts of an operation that its clients rely on. What messages hold is guarded with the contracts. */
export type OperationShape = {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, 'required' | 'optional'>>;
  readonly body?: string;
  readonly answers: Readonly<Record<string, string>>;
};
/** By method and path: `GET /v1/offers/{offer_id}`. */
export type OperationShapes = Readonly<Record<string, OperationShape>>;

const contentOf = (content: Operation['responses'][string]['content'] = {}): string =>
  Object.entries(content)
    .map(([type, { schema }]) => {
      const name = schema['$ref'];
      return typeof name === 'string' ? `${type} ${name.split('/').at(-1)}` : type;
    })
    .join(', ');

const shapeOf = ({ operationId, parameters = [], requestBody, responses }: Operation): OperationShape => ({
  operationId,
  parameters: Object.fromEntries(
    parameters.map(({ name, in: where, required = false }) => [
      `${where} ${name}`,
      required ? 'required' : 'optional',
    ]),
  ),
  ...(requestBody ? { body: contentOf(requestBody.content) } : {}),
  answers: Object.fromEntries(
    Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { content }]) => [status, contentOf(content)]),
  ),
});
export const operationShapes = ({ paths }: Pick<OpenApiDocument, 'paths'>): OperationShapes =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, one]) => [`${verb.toUpperCase()} ${path}`, shapeOf(one)]),
    ),
  );

const brokenIn = (name: string, base: OperationShape, now: OperationShape | undefined): readonly string[] => {
  if (!now) return [`${name} is gone`];
  const broken: string[] = [];
  if (base.operationId !== now.operationId)
    broken.push(`${name}: its id was ${base.operationId} and is ${now.operationId}`);
  for (const parameter of Object.keys(base.parameters))
    if (!(parameter in now.parameters)) broken.push(`${name}: the parameter "${parameter}" is gone`);
  for (const [parameter, how] of Object.entries(now.parameters))
    if (how === 'required' && base.parameters[parameter] !== 'required')
      broken.push(`${name}: the parameter "${parameter}" is required now`);
  if (base.body !== now.body)
    broken.push(`${name}: its body was ${base.body ?? 'none'} and is ${now.body ?? 'none'}`);
  for (const [status, content] of Object.entries(base.answers))
    if (now.answers[status] !== content)
      broken.push(
        `${name}: the answer ${status} was "${content}" and is "${now.answers[status] ?? 'not there'}"`,
      );
  return broken;
};

/** What clients of the base would lose, in sentences. New operations and optional parameters break nothing. */
export const brokenOperations = (base: OperationShapes, now: OperationShapes): readonly string[] =>
  Object.entries(base).flatMap(([name, shape]) => brokenIn(name, shape, now[name]));

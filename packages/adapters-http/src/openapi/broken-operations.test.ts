import { expect, test } from 'vitest';
import { brokenOperations, operationShapes, type OperationShape } from './broken-operations.ts';
import type { Schema } from './open-api.ts';

const shape: OperationShape = {
  operationId: 'Toys_Get',
  parameters: { 'path id': 'required', 'query color': 'optional' },
  body: 'application/json Toy',
  answers: { 200: 'application/json Toy' },
};
const broken = (now: Partial<OperationShape>) =>
  brokenOperations({ 'GET /toys/{id}': shape }, { 'GET /toys/{id}': { ...shape, ...now } });

test.each<[string, Partial<OperationShape>, readonly string[]]>([
  ['nothing', {}, []],
  ['a new optional parameter', { parameters: { ...shape.parameters, 'query size': 'optional' } }, []],
  ['a new answer', { answers: { ...shape.answers, 304: '' } }, []],
  ['its id', { operationId: 'Toys_Read' }, ['its id was Toys_Get and is Toys_Read']],
  [
    'a parameter that is gone',
    { parameters: { 'path id': 'required' } },
    ['the parameter "query color" is gone'],
  ],
  [
    'a parameter that becomes required',
    { parameters: { 'path id': 'required', 'query color': 'required' } },
    ['the parameter "query color" is required now'],
  ],
  [
    'a new required parameter',
    { parameters: { ...shape.parameters, 'query size': 'required' } },
    ['the parameter "query size" is required now'],
  ],
  [
    'its body',
    { body: 'application/json Ball' },
    ['its body was application/json Toy and is application/json Ball'],
  ],
  [
    'its answer',
    { answers: { 200: 'application/json Ball' } },
    ['the answer 200 was "application/json Toy" and is "application/json Ball"'],
  ],
  [
    'an answer that is gone',
    { answers: {} },
    ['the answer 200 was "application/json Toy" and is "not there"'],
  ],
])('[H6] a change of %s is refused only if it breaks clients', (_, now, expected) => {
  expect(broken(now)).toEqual(expected.map((words) => `GET /toys/{id}: ${words}`));
});
test('[H6] a path that is gone is refused, a new one is not', () => {
  expect(brokenOperations({ 'GET /toys': shape }, { 'GET /balls': shape })).toEqual(['GET /toys is gone']);
});
test('[H6] the shape of an operation is read from the document', () => {
  const answer = (schema: Schema) => ({ description: '', content: { 'application/json': { schema } } });
  const get = {
    operationId: 'Toys_Get',
    tags: [],
    summary: '',
    security: [],
    parameters: [{ name: 'id', in: 'path' as const, required: true, schema: {} }],
    requestBody: {
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Toy' } } },
    },
    responses: { 200: answer({ $ref: '#/components/schemas/Toy' }), 404: answer({}) },
  };
  expect(operationShapes({ paths: { '/toys/{id}': { get } } })).toEqual({
    'GET /toys/{id}': {
      operationId: 'Toys_Get',
      parameters: { 'path id': 'required' },
      body: 'application/json Toy',
      answers: { 200: 'application/json Toy' },
    },
  });
});

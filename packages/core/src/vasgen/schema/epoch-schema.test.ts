import { describe, expect, test } from 'vitest';
import type { FieldSpec } from '../engine/index-schema.ts';
import { sampleDocument } from '../testing/document-samples.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { declaredSchema, emptySchema, schemaFor, type EpochSchema } from './epoch-schema.ts';

const schema: EpochSchema = {
  number: 7,
  fields: {
    title: { kind: 'text', boost: 3 },
    price: { kind: 'number' },
    brand: { kind: 'enum' },
    tags: { kind: 'enum', multiple: true },
    face: { kind: 'vector', dimension: 2 },
  },
};
type Field = RawDocument['fields'][number];
const field = (name: string, kind: Field['kind'], value: Field['value'], multiple = false): Field => ({
  name,
  kind,
  value,
  multiple,
});
const document = (fields: readonly Field[], embeddings: RawDocument['embeddings'] = []) =>
  sampleDocument({ fields, embeddings });

describe('the schema that a document needs', () => {
  test('[V4] nothing new: no growth, and the boost stays as it was declared', () => {
    expect(schemaFor(schema, document([field('title', 'text', 'x')]))._unsafeUnwrap()).toBeUndefined();
  });
  test('[V4] new fields raise the number by one and keep what was there', () => {
    const grown = schemaFor(
      schema,
      document(
        [field('title', 'text', 'x'), field('km', 'number', 5)],
        [{ name: 'look', vector: [1, 2, 3] }],
      ),
    );
    expect(grown._unsafeUnwrap()).toEqual({
      number: 8,
      fields: { ...schema.fields, km: { kind: 'number' }, look: { kind: 'vector', dimension: 3 } },
    });
  });
  test('[V4] a delete needs nothing', () => {
    expect(schemaFor(schema, sampleDocument({ event: 'delete' }))._unsafeUnwrap()).toBeUndefined();
  });
  test.each([
    ['another kind', [field('price', 'text', 'x')], [], 'number', 'text'],
    ['one value for a list', [field('tags', 'enum', 'x')], [], 'list of enum', 'enum'],
    ['a list for one value', [field('brand', 'enum', ['x'], true)], [], 'enum', 'list of enum'],
    ['a string for an enum', [field('brand', 'string', 'x')], [], 'enum', 'string'],
    ['another dimension', [], [{ name: 'face', vector: [1, 2, 3] }], 'vector of 2', 'vector of 3'],
    ['an embedding for a field', [], [{ name: 'price', vector: [1] }], 'number', 'vector of 1'],
    ['a field for an embedding', [field('face', 'number', 1)], [], 'vector of 2', 'number'],
  ] as const)('[V4] refused: %s', (_what, fields, embeddings, expected, actual) => {
    const faults = schemaFor(schema, document(fields, embeddings))._unsafeUnwrapErr();
    expect(faults).toMatchObject([{ code: 'TypeConflict', expected, actual }]);
  });
  test('[V4] a fifth text field is refused', () => {
    const texts = (count: number) =>
      document(Array.from({ length: count }, (_, i) => field(`t${i}`, 'text', 'x')));
    expect(schemaFor(emptySchema, texts(4)).isOk()).toBe(true);
    expect(schemaFor(emptySchema, texts(5))._unsafeUnwrapErr()).toMatchObject([{ code: 'TOO_MANY' }]);
  });
  test('[V4] a field that is called like a property of objects is a field', () => {
    const grown = schemaFor(
      schema,
      document([field('__proto__', 'number', 1), field('toString', 'enum', 'x')]),
    );
    expect(Object.keys(grown._unsafeUnwrap()!.fields)).toEqual(
      expect.arrayContaining(['__proto__', 'toString']),
    );
  });
});

describe('a declared schema', () => {
  const declare = (fields: Record<string, FieldSpec>) => declaredSchema(schema, fields);
  test('[V4] what is known already changes nothing', () => {
    expect(declare({ price: { kind: 'number' }, title: { kind: 'text' } })._unsafeUnwrap()).toBeUndefined();
  });
  test('[V4] new fields keep their boosts and hints', () => {
    const more = { name: { kind: 'text', boost: 2 }, city: { kind: 'enum', clusters: true } } as const;
    expect(declare(more)._unsafeUnwrap()).toEqual({ number: 8, fields: { ...schema.fields, ...more } });
  });
  test('[V4] a type never changes inside of an epoch', () => {
    expect(declare({ price: { kind: 'enum' } })._unsafeUnwrapErr()).toMatchObject([
      { path: 'price', expected: 'number', actual: 'enum' },
    ]);
  });
});

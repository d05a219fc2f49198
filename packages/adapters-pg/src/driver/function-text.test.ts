import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { functionText } from './function-text.ts';
import { sqlFunction } from './sql-function.ts';

const SPEC = sqlFunction({
  name: 'shop.sell',
  values: { seller: 'text' },
  rows: {
    goods: { id: 'text', price: 'bigint?', photo: 'bytes' },
    notes: { text: 'text' },
  },
});
const goodBody =
  'insert into a select seller, frame from {{goods: id, photo}}; select from {{goods: price}}, {{notes: text}};';
const textOf = (body: string) =>
  functionText(`create function shop.sell({{parameters}}) as $$ ${body} $$`, SPEC);

test('[G12] the spec of a function makes its signature and the rows that its body reads', () => {
  expect(textOf(goodBody)._unsafeUnwrap()).toBe(`create function shop.sell(
  seller text,
  goods_id text[],
  goods_price bigint[],
  goods_photo_start integer[],
  goods_photo_length integer[],
  notes_text text[],
  frame bytea) as $$ insert into a select seller, frame from \
unnest(goods_id, goods_photo_start, goods_photo_length) goods(id, photo_start, photo_length); \
select from unnest(goods_price) goods(price), unnest(notes_text) notes(text); $$`);
});
test('[G12] the same spec makes the call, with its arguments by name and in order', () => {
  expect(SPEC.call).toBe(
    'shop.sell(seller => $1, goods_id => $2, goods_price => $3, goods_photo_start => $4, ' +
      'goods_photo_length => $5, notes_text => $6, frame => $7)',
  );
  const goods = [
    { id: 'a"b', price: 5, photo: Buffer.from('one') },
    { id: 'c', price: null, photo: Buffer.from('second') },
  ];
  expect(SPEC.argumentsOf({ seller: 'ann' }, { goods, notes: [] })).toEqual([
    'ann',
    '{"a\\"b","c"}',
    '{5,NULL}',
    '{1,4}',
    '{3,6}',
    null,
    Buffer.from('onesecond'),
  ]);
});

test.each([
  { name: 'an unknown row set', body: `${goodBody} {{cars: id}}`, why: 'there is no row set "cars"' },
  {
    name: 'an unknown column',
    body: `${goodBody} {{goods: weight}}`,
    why: 'the row set "goods" has no column "weight"',
  },
  {
    name: 'a parameter that does not exist',
    body: `${goodBody} goods_weight`,
    why: 'there is no parameter "goods_weight"',
  },
  {
    name: 'a parameter that the body never uses',
    body: 'select seller, frame from {{goods: id, photo}}, {{notes: text}}',
    why: 'the body never uses the parameter "goods_price"',
  },
  {
    name: 'an unknown placeholder',
    body: `${goodBody} {{goods}}`,
    why: '"goods" is neither "parameters" nor "<row set>: <columns>"',
  },
])('[G12] a function text with $name is refused', ({ body, why }) => {
  expect(textOf(body)).toEqual(err(why));
});
test('[G12] a function text without a parameter list is refused if it has a spec, and taken as it is if it has none', () => {
  expect(functionText('create function shop.sell()', SPEC)).toEqual(err('lacks {{parameters}}'));
  expect(functionText('create function shop.sell()', undefined)).toEqual(ok('create function shop.sell()'));
  expect(functionText('create function shop.sell({{parameters}})', undefined).isErr()).toBe(true);
});

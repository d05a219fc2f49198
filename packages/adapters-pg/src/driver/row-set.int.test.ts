import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { arraysOf, Frame } from './row-set.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 1 });
});
afterAll(() => db.drop());

test('[G12] every text and number arrives at the server unchanged', async () => {
  const texts = ['', ' ', 'NULL', 'null', 'a,b', '{}', '"', '\\', '\\"', "it's", 'строка\nи ещё', '🚲', null];
  const numbers = [0, -1, 2 ** 53 - 1, null];
  const set = { text: 'text?', number: 'bigint?' } as const;
  const sent = texts.map((text, i) => ({ text, number: numbers[i % numbers.length]! }));
  const { rows } = await db.pool.query<{ texts: string[]; numbers: string[] }>(
    'select $1::text[] as texts, $2::bigint[]::text[] as numbers',
    [...arraysOf(set, sent, new Frame())],
  );
  expect(rows[0]!.texts).toEqual(texts);
  expect(rows[0]!.numbers).toEqual(texts.map((_, i) => numbers[i % numbers.length]?.toString() ?? null));
});
test('[G12] without rows the server unpacks none', async () => {
  const none = await db.pool.query('select * from unnest($1::text[]) n', [
    ...arraysOf({ text: 'text' }, [], new Frame()),
  ]);
  expect(none.rows).toEqual([]);
});

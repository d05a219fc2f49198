import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '../../../../tests/setup/database.ts';
import { Columns } from './columns.ts';

let db: FreshDatabase;
beforeAll(async () => {
  db = await freshDatabase({ max: 1 });
});
afterAll(() => db.drop());

test('[G12] every text and number arrives as it was', async () => {
  const texts = ['', ' ', 'NULL', 'null', 'a,b', '{}', '"', '\\', '\\"', "it's", 'строка\nи ещё', '🚲', null];
  const numbers = [0, -1, 2 ** 53 - 1, null];
  const columns = new Columns(2);
  texts.forEach((cell, i) => columns.add(cell, numbers[i % numbers.length]!));
  const { rows } = await db.pool.query<{ texts: string[]; numbers: string[] }>(
    'select $1::text[] as texts, $2::bigint[]::text[] as numbers',
    [...columns.parameters],
  );
  expect(rows[0]!.texts).toEqual(texts);
  expect(rows[0]!.numbers).toEqual(texts.map((_, i) => numbers[i % numbers.length]?.toString() ?? null));
});
test('[G12] no row is none', async () => {
  const none = await db.pool.query('select * from unnest($1::text[]) n', [...new Columns(1).parameters]);
  expect(none.rows).toEqual([]);
});

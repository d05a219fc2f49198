import { expect, test } from 'vitest';
import { countSlices } from './count-slices.ts';

test('[S5] slices follow each other until one is empty, and each row is counted once', async () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];
  const asked: string[] = [];
  const slice = async (after: string) => {
    asked.push(after);
    const found = rows.filter((row) => row > after).slice(0, 2);
    return { n: found.length, last: found.at(-1) };
  };
  expect(await countSlices(slice)).toBe(5);
  expect(asked).toEqual(['', 'b', 'd', 'e']);
});

import { expect, test } from 'vitest';
import { makeShardTurns } from './shard-turns.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('[V6] work of one shard runs one after another, in the order of the calls', async () => {
  const turns = makeShardTurns();
  const seen: string[] = [];
  const work = (name: string, keys: readonly string[]) =>
    turns(keys, async () => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    });
  await Promise.all([work('a', ['1']), work('b', ['1', '2']), work('c', ['2'])]);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
test('[V6] work of another shard does not wait', async () => {
  const turns = makeShardTurns();
  let leave = (): void => {};
  const long = turns(['1'], () => new Promise<void>((resolve) => (leave = resolve)));
  expect(await turns(['2'], async () => 'done')).toBe('done');
  leave();
  await long;
});
test('[V6] work that fails does not hold up the next one', async () => {
  const turns = makeShardTurns();
  const failed = turns(['1'], () => Promise.reject(new Error('as planned')));
  const next = turns(['1'], async () => 'done');
  await expect(failed).rejects.toThrow('as planned');
  expect(await next).toBe('done');
});

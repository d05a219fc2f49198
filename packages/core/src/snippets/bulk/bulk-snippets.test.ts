import { errAsync, okAsync, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable } from '../../kernel/index.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { PutCommand } from '../requests/put-snippet.use-case.ts';
import { makeBulkSnippets, type BulkVerdict } from './bulk-snippets.use-case.ts';

const VERSION = { ms: 1, sequence: 0 };
const LIMITS = { contentBytesMax: 10, jsonDepthMax: 5, bulkAtOnce: 3 };
const at = {} as LoadedConfig;
async function* bodyOf(...lines: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield new TextEncoder().encode(`${line}\n`);
}
const verdictsOf = async (
  verdicts: AsyncIterable<BulkVerdict<{ readonly kind: string }>>,
): Promise<readonly string[]> => {
  const all: string[] = [];
  for await (const { line, key, outcome } of verdicts)
    all.push(
      `${line} ${key ?? '-'} ${outcome.match(
        ({ leaves }) => leaves.map((one) => one.outcome).join(),
        (error) => error.kind,
      )}`,
    );
  return all;
};

/** Every call waits until the test lets it go. */
const world = () => {
  const events: string[] = [];
  const waiting = new Map<string, () => void>();
  const act = async (what: string): Promise<void> => {
    events.push(`${what} begins`);
    await new Promise<void>((resolve) => waiting.set(what, resolve));
    events.push(`${what} ends`);
  };
  const bulk = makeBulkSnippets<{ readonly kind: string }>({
    put: ({ key, bytes }: PutCommand) =>
      new ResultAsync(
        act(`${key}=${new TextDecoder().decode(bytes)}`).then(
          () => okAsync({ version: VERSION, names: ['leaf'] }) as never,
        ),
      ),
    remove: () => okAsync({ version: VERSION, leaves: [{ name: 'leaf', outcome: 'deleted' }] }),
    limits: LIMITS,
  });
  const go = async (what: string): Promise<void> => {
    for (let turn = 0; turn < 100 && !waiting.has(what); turn++) await Promise.resolve();
    waiting.get(what)!();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  };
  return { bulk, events, go };
};

test('[F10] verdicts come in the order of the lines, whatever ends first', async () => {
  const { bulk, go } = world();
  const body = bodyOf('{"key":"a","json":1}', '{"key":"b","json":2}', '{"key":"c","delete":true}');
  const verdicts = verdictsOf(bulk({ at, name: 'leaf', pieces: body }));
  await go('b=2');
  await go('a=1');
  expect(await verdicts).toEqual(['1 a stored', '2 b stored', '3 c deleted']);
});

test('[F10] two lines with one key take effect in their order', async () => {
  const { bulk, go, events } = world();
  const body = bodyOf('{"key":"a","json":1}', '{"key":"a","json":2}');
  const verdicts = verdictsOf(bulk({ at, name: 'leaf', pieces: body }));
  await go('a=1');
  await go('a=2');
  expect(await verdicts).toEqual(['1 a stored', '2 a stored']);
  expect(events).toEqual(['a=1 begins', 'a=1 ends', 'a=2 begins', 'a=2 ends']);
});

test('[F10] no more lines are worked on at once than allowed', async () => {
  const { bulk, go, events } = world();
  const body = bodyOf(...['a', 'b', 'c', 'd'].map((key) => `{"key":"${key}","json":1}`));
  const verdicts = verdictsOf(bulk({ at, name: 'leaf', pieces: body }));
  await go('c=1');
  expect(events).not.toContain('d=1 begins');
  await go('a=1');
  await go('b=1');
  await go('d=1');
  expect(await verdicts).toHaveLength(4);
});

test('[F10] a verdict is told while the next line is still on its way', async () => {
  let sendMore = (): void => {};
  const more = new Promise<void>((resolve) => (sendMore = resolve));
  const { bulk, go } = world();
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield* bodyOf('{"key":"a","json":1}');
    await more;
    yield* bodyOf('{"key":"b","delete":true}');
  }
  const verdicts = bulk({ at, name: 'leaf', pieces: slow() });
  const first = verdicts.next();
  await go('a=1');
  expect((await first).value).toMatchObject({ line: 1, key: 'a' });
  sendMore();
  expect((await verdicts.next()).value).toMatchObject({ line: 2, key: 'b' });
});

test('[F10] a bad line does not stop the lines behind it', async () => {
  const bulk = makeBulkSnippets<{ readonly kind: string }>({
    put: ({ key }) =>
      key === 'away' ? errAsync(unavailable('store')) : okAsync({ version: VERSION, names: ['leaf'] }),
    remove: () => okAsync({ version: VERSION, leaves: [] }),
    limits: LIMITS,
  });
  const long = `{"key":"a","text":"${'x'.repeat(20_000)}"}`;
  const body = bodyOf('nonsense', '', long, '{"key":"away","json":1}', '{"key":"b","json":1}');
  expect(await verdictsOf(bulk({ at, name: 'leaf', pieces: body }))).toEqual([
    '1 - InvalidInput',
    '3 - TooLarge',
    '4 away Unavailable',
    '5 b stored',
  ]);
});

test('[F10] a body that breaks off ends the verdicts with its error, after those that had begun', async () => {
  const bulk = makeBulkSnippets<{ readonly kind: string }>({
    put: () => okAsync({ version: VERSION, names: ['leaf'] }),
    remove: () => okAsync({ version: VERSION, leaves: [] }),
    limits: LIMITS,
  });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* bodyOf('{"key":"a","json":1}');
    throw new Error('reset');
  }
  await expect(verdictsOf(bulk({ at, name: 'leaf', pieces: broken() }))).rejects.toThrow('reset');
});

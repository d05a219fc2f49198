import { err, errAsync } from 'neverthrow';
import { expect, onTestFinished, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import { unavailable } from '../../kernel/index.ts';
import { eventually } from '../../kernel/testing.ts';
import { offerOf, searchInMemory } from '../testing/search-in-memory.ts';
import type { Suggestion } from './suggest.use-case.ts';

const offers = [
  offerOf('a', { title: 'Диван угловой', description: '' }),
  offerOf('b', { title: 'Диваны белые', description: 'дизайн' }),
  offerOf('c', { title: 'Диван белый', description: '', category: 'vans' as CategoryId }),
  offerOf('d', { title: 'ДИВАН белый', description: '', category: 'vans' as CategoryId }),
];
const open = async (options: Parameters<typeof searchInMemory>[1] = {}, isAway = false) => {
  const { api } = await searchInMemory(offers, options);
  const stop = new AbortController();
  void api.keepDictionary(stop.signal);
  onTestFinished(() => stop.abort());
  const isRead = async (): Promise<boolean> =>
    !(await api.suggest({ text: 'x', category: '', limit: 0 }))._unsafeUnwrap().notes.includes('NoWords');
  if (!isAway) await eventually(async () => expect(await isRead()).toBe(true));
  return async (text: string, category = '', limit = 0) => {
    const told = (await api.suggest({ text, category, limit }))._unsafeUnwrap();
    const of = (kind: Suggestion['kind']) =>
      told.suggestions
        .filter((one) => one.kind === kind)
        .map((one) => [
          one.kind === 'category' ? one.id : one.text,
          'offers' in one ? one.offers : one.offerId,
        ]);
    return { notes: told.notes, words: of('word'), categories: of('category'), titles: of('title') };
  };
};

test('[S11] a text as it is typed is completed to words of the index, its forms once, the most frequent first', async () => {
  const suggest = await open();
  expect((await suggest('ди')).words).toEqual([
    ['диван', 4],
    ['дизайн', 1],
  ]);
  expect((await suggest('Белый ДИВ')).words).toEqual([['Белый диван', 4]]);
  expect((await suggest('д', '', 1)).words).toEqual([['диван', 4]]);
});

test('[S11] categories come from the catalogue’s names and from what is found, with their numbers of offers', async () => {
  const suggest = await open();
  expect((await suggest('ph')).categories).toEqual([['phones', 0]]);
  expect((await suggest('диван')).categories).toEqual([
    ['cars', 2],
    ['vans', 2],
  ]);
  expect((await suggest('диван', 'vans')).categories).toEqual([['vans', 2]]);
});

test('[S11] titles are those of offers that hold the words, each once', async () => {
  const suggest = await open();
  expect((await suggest('бел див')).titles).toEqual([]);
  expect((await suggest('диван бел')).titles.map(([text]) => text).toSorted()).toEqual([
    'Диван белый',
    'Диваны белые',
  ]);
  expect((await suggest('диван', 'cars')).titles.map(([, id]) => id).toSorted()).toEqual(['a', 'b']);
});

test('[S11] nothing typed suggests nothing; a letter suggests no titles', async () => {
  const suggest = await open();
  expect(await suggest(' , ')).toEqual({ notes: [], words: [], categories: [], titles: [] });
  expect((await suggest('д')).titles).toEqual([]);
});

test('[S11] what can not be asked is left out, and the answer says so', async () => {
  const away = unavailable('searcher', new Error('away'));
  const suggest = await open(
    {
      copy: () => err({ kind: 'NoCopy' } as never),
      change: (index) => ({ ...index, execute: () => errAsync(away) }),
    },
    true,
  );
  expect(await suggest('диван')).toEqual({
    notes: ['NoWords', 'NoCatalog', 'NoTitles'],
    words: [],
    categories: [],
    titles: [],
  });
});

test('[S9] a wrong text, category or limit is refused with its field', async () => {
  const { api } = await searchInMemory(offers);
  const refused = await api.suggest({ text: 'x'.repeat(101), category: 'a\u0000', limit: 21 });
  expect(refused._unsafeUnwrapErr()).toMatchObject({
    violations: [{ path: 'text' }, { path: 'category' }, { path: 'limit' }],
  });
  const unknown = await api.suggest({ text: 'x', category: 'nothing', limit: 0 });
  expect(unknown._unsafeUnwrapErr()).toMatchObject({ violations: [{ path: 'category' }] });
});

import { errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable, type Unavailable } from '../../kernel/index.ts';
import type { SearchAnswer } from '../../vasgen/index.ts';
import { executeSpelled, type SpelledText } from './execute-spelled.ts';

const answerOf = (total: number): SearchAnswer => ({
  hits: [],
  total,
  facets: [],
  generation: 1,
  epoch: 1,
  searcher: 's',
  indexAgeMs: 0,
});
const run = async (totals: Record<string, number>, more: Partial<SpelledText> = {}) => {
  const asked: string[] = [];
  const found = await executeSpelled<Unavailable>(
    (words) => {
      asked.push(words);
      const total = totals[words];
      return total === undefined ? errAsync(unavailable('searcher', words)) : okAsync(answerOf(total));
    },
    {
      typed: 'деван',
      fixed: undefined,
      isAsked: true,
      correct: (text) => ({ text: text.replace('деван', 'диван'), words: [] }),
      ...more,
    },
  );
  return { asked, words: found.map(({ words }) => words).unwrapOr('failed') };
};

test('[S6] a corrected text is used only if it finds more', async () => {
  expect(await run({ деван: 0, диван: 3 })).toEqual({ asked: ['деван', 'диван'], words: 'диван' });
  expect(await run({ деван: 0, диван: 0 })).toEqual({ asked: ['деван', 'диван'], words: 'деван' });
  expect(await run({ деван: 1, диван: 3 })).toEqual({ asked: ['деван'], words: 'деван' });
});

test('[S6] a buyer who wants the text as it is gets it, and a failed second search does no harm', async () => {
  expect(await run({ деван: 0, диван: 3 }, { isAsked: false })).toEqual({ asked: ['деван'], words: 'деван' });
  expect(await run({ деван: 0 })).toEqual({ asked: ['деван', 'диван'], words: 'деван' });
  expect((await run({})).words).toBe('failed');
});

test('[S9] every page of a query uses the text of the first one', async () => {
  expect(await run({ диван: 3 }, { fixed: 'диван' })).toEqual({ asked: ['диван'], words: 'диван' });
  expect(await run({ деван: 0, диван: 3 }, { fixed: '' })).toEqual({ asked: ['деван'], words: 'деван' });
});

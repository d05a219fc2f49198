import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { glueSnippets, keysToGlue, type GluedSnippet } from './glue-snippets.ts';

const snippet = (name: string, key: string): GluedSnippet => ({
  name,
  key,
  content: { format: 'raw', bytes: new TextEncoder().encode(`${name} of ${key}`) },
});
type Offer = { readonly id: string; readonly seller: string };
const offers: readonly Offer[] = [
  { id: 'o1', seller: 's1' },
  { id: 'o2', seller: 's2' },
];
const keysOf = ({ id, seller }: Offer): readonly string[] => [id, seller];

describe('snippets beside search results', () => {
  test('[F11] each hit gets the snippets of its keys, the earlier key first', () => {
    const found = [
      snippet('rating', 's1'),
      snippet('rating', 'o1'),
      snippet('badge', 's1'),
      snippet('badge', 'x'),
    ];
    const { hits } = glueSnippets(offers, found, keysOf);
    expect(hits.map(({ hit, snippets }) => [hit.id, Object.keys(snippets).sort()])).toEqual([
      ['o1', ['badge', 'rating']],
      ['o2', []],
    ]);
    expect(hits[0]!.snippets['rating']).toBe(found[1]!.content);
  });
  test('[F11] snippets of the query or its category are entries of their own', () => {
    const found = [snippet('banner', 'category:cars'), snippet('rating', 'o1')];
    const { entries, hits } = glueSnippets(offers, found, keysOf, [
      'category:cars',
      'query:x',
      'category:cars',
    ]);
    expect(entries).toEqual([found[0]]);
    expect(hits[1]!.snippets).toEqual({});
  });
  test('[F11] without snippets the hits stay as they are', () => {
    expect(glueSnippets(offers, [], keysOf)).toEqual({
      hits: offers.map((hit) => ({ hit, snippets: {} })),
      entries: [],
    });
  });
  test('[F11] every key is asked for once', () => {
    expect(keysToGlue([...offers, ...offers], keysOf, ['o1', 'q'])).toEqual(['o1', 's1', 'o2', 's2', 'q']);
  });
  test('[F11] hits keep their number and order, whatever is found', () => {
    const anySnippet = fc
      .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('o1', 'o2', 's1', 'z'))
      .map(([name, key]) => snippet(name, key));
    fc.assert(
      fc.property(fc.array(anySnippet), (found) => {
        const { hits } = glueSnippets(offers, found, keysOf);
        expect(hits.map(({ hit }) => hit)).toEqual(offers);
        for (const { hit, snippets } of hits)
          for (const [name, content] of Object.entries(snippets))
            expect(
              found.some(
                (one) => one.name === name && keysOf(hit).includes(one.key) && one.content === content,
              ),
            ).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

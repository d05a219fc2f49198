import { requirePeer } from '../tools.ts';
import type { Peer } from './peer.ts';

type Found = { readonly id: number; readonly category: string; readonly created: number };
type MiniSearch = {
  add(document: Record<string, unknown>): void;
  search(query: unknown, options?: Record<string, unknown>): Found[];
};
type MiniSearchClass = { new (options: Record<string, unknown>): MiniSearch; readonly wildcard: unknown };

const STORED = [
  'root',
  'middle',
  'category',
  'brand',
  'condition',
  'delivery',
  'price',
  'year',
  'created',
  'ctr',
];

/** MiniSearch in this process: filters are callbacks, facets are counted over all it returns. */
export const minisearchPeer = (): Peer => {
  const MiniSearch = requirePeer('minisearch') as MiniSearchClass;
  const split = (text: string): string[] => text.split(' ');
  const index = new MiniSearch({
    fields: ['title', 'description'],
    storeFields: STORED,
    tokenize: split,
    processTerm: (term: string) => term,
    searchOptions: { combineWith: 'AND', boost: { title: 3 } },
  });
  return {
    name: 'minisearch',
    load: async (documents) => {
      for (const { number, fields, title, description } of documents)
        index.add({ ...fields, id: number, title, description });
    },
    query: async (query, stems) => {
      const inside = (value: number, [low, high]: readonly [number, number]): boolean =>
        value >= low && value <= high;
      const filter = (f: Record<string, never>): boolean => {
        if (query.kind === 'q1') return f['middle'] === query.middle && inside(f['price']!, query.price!);
        if (query.kind === 'q3') return true;
        const plain =
          f['root'] === query.root && f['condition'] === query.condition && f['delivery'] === query.delivery;
        return (
          plain &&
          query.brands!.includes(f['brand']!) &&
          inside(f['price']!, query.price!) &&
          inside(f['year']!, query.year!)
        );
      };
      if (query.kind === 'q2') {
        const found = index.search(MiniSearch.wildcard, { filter }).sort((a, b) => b.created - a.created);
        return { total: found.length, facets: 0, hits: found.slice(0, 20).length };
      }
      const boostDocument = (_id: number, _term: string, stored: { ctr: number }): number => 1 + stored.ctr;
      const found = index.search(stems.join(' '), { filter, boostDocument });
      const facets = new Map<string, number>();
      for (const { category } of found) facets.set(category, (facets.get(category) ?? 0) + 1);
      return { total: found.length, facets: facets.size, hits: found.slice(0, 20).length };
    },
    close: async () => {},
  };
};

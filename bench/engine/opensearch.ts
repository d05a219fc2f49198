import type { IndexChange } from '@doska/core/vasgen';
import type { BenchQuery } from './corpus.ts';
import type { OpenSearchServer } from './opensearch-server.ts';
import type { PeerAnswer } from './peer.ts';

const keyword = { type: 'keyword' };
const KEYWORDS = ['root', 'middle', 'category', 'brand', 'color', 'condition', 'seller'];
/** The same analysis as ours, done by the server: ё = е, runs of letters and digits, Russian and English stems. */
const ANALYSIS = {
  char_filter: { yo: { type: 'mapping', mappings: ['ё=>е', 'Ё=>Е'] } },
  tokenizer: { words: { type: 'simple_pattern', pattern: '[0-9A-Za-zА-Яа-яЁё]+' } },
  filter: {
    digits: { type: 'keyword_marker', keywords_pattern: '.*[0-9].*' },
    russian: { type: 'stemmer', language: 'russian' },
    english: { type: 'stemmer', language: 'porter2' },
  },
  analyzer: {
    both: {
      type: 'custom',
      char_filter: ['yo'],
      tokenizer: 'words',
      filter: ['lowercase', 'digits', 'russian', 'english'],
    },
  },
};
const MAPPINGS = {
  dynamic: 'strict',
  properties: {
    title: { type: 'text', analyzer: 'both' },
    description: { type: 'text', analyzer: 'both' },
    ...Object.fromEntries(KEYWORDS.map((name) => [name, keyword])),
    delivery: { type: 'boolean' },
    verified: { type: 'boolean' },
    price: { type: 'double' },
    year: { type: 'integer' },
    created: { type: 'long' },
    ctr: { type: 'float' },
    place: { type: 'geo_point' },
  },
};

export class OpenSearchPeer {
  readonly #url: string;
  #index = '';

  constructor({ url }: OpenSearchServer) {
    this.#url = url;
  }

  async #call(method: string, path: string, body?: unknown): Promise<Record<string, never>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body: text }),
    });
    const answer = (await response.json()) as Record<string, never>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer).slice(0, 500)}`);
    return answer;
  }

  async create(name: string): Promise<void> {
    this.#index = name;
    const index = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '1s' };
    await this.#call('PUT', `/${name}`, { settings: { index, analysis: ANALYSIS }, mappings: MAPPINGS });
  }
  drop(name: string): Promise<unknown> {
    return this.#call('DELETE', `/${name}`);
  }
  refresh(): Promise<unknown> {
    return this.#call('POST', `/${this.#index}/_refresh`);
  }
  async count(): Promise<number> {
    return Number((await this.#call('GET', `/${this.#index}/_count`))['count']);
  }

  /** One bulk request with external versions: stale writes are refused, as ours are. */
  static body(changes: readonly IndexChange[]): string {
    return changes
      .map(({ pk, freshness, fields }) => {
        const action = { index: { _id: pk, version: freshness.version, version_type: 'external' } };
        return `${JSON.stringify(action)}\n${JSON.stringify(fields)}\n`;
      })
      .join('');
  }
  async bulk(body: string): Promise<void> {
    const answer = await this.#call('POST', `/${this.#index}/_bulk`, body);
    if (answer['errors']) throw new Error('a bulk request had errors');
  }

  async query(query: BenchQuery): Promise<PeerAnswer> {
    const facets =
      query.kind === 'q2' ? {} : { aggs: { category: { terms: { field: 'category', size: 500 } } } };
    const body = { size: 20, _source: false, track_total_hits: true, query: bodyOf(query), ...facets };
    const sort = query.kind === 'q2' ? { sort: [{ created: 'desc' }] } : {};
    const path = `/${this.#index}/_search?request_cache=false`;
    const answer = (await this.#call('POST', path, { ...body, ...sort })) as unknown as {
      hits: { total: { value: number }; hits: unknown[] };
      aggregations?: { category: { buckets: unknown[] } };
    };
    const { hits, aggregations } = answer;
    return {
      total: hits.total.value,
      facets: aggregations?.category.buckets.length ?? 0,
      hits: hits.hits.length,
    };
  }
}

const term = (field: string, value: unknown) => ({ term: { [field]: value } });
const range = (field: string, [gte, lte]: readonly [number, number]) => ({
  range: { [field]: { gte, lte } },
});
const bodyOf = (query: BenchQuery): unknown => {
  if (query.kind === 'q2')
    return {
      bool: {
        filter: [
          term('root', query.root),
          { terms: { brand: query.brands } },
          term('condition', query.condition),
          term('delivery', query.delivery),
          range('price', query.price!),
          range('year', query.year!),
        ],
      },
    };
  const text = {
    query: query.words!.join(' '),
    type: 'cross_fields',
    operator: 'and',
    fields: ['title^3', 'description'],
  };
  const filter = query.kind === 'q1' ? [term('middle', query.middle), range('price', query.price!)] : [];
  const functions = [
    { field_value_factor: { field: 'ctr', factor: 1, missing: 0, modifier: 'none' } },
    { weight: 1 },
  ];
  return {
    function_score: {
      query: { bool: { must: [{ multi_match: text }], filter } },
      functions,
      score_mode: 'sum',
      boost_mode: 'multiply',
    },
  };
};

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { grpcChannel, searchClient, snippetClient } from '@doska/adapters-grpc';
import { loadConfig, startHost, systemClock, Tokens, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apps } from './apps.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'doska-search-'));
let database: FreshDatabase;
let host: RunningHost;
let token: string;

beforeAll(async () => {
  database = await freshDatabase();
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_GOST_SESSIONS_PER_MINUTE: '1000000',
    DOSKA_CORS_ORIGINS: 'https://shop.example',
    // The differences of the tests are found by the tests.
    DOSKA_SEARCH_AUDIT_DAYS: '0',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  host = (await startHost('search', apps, config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
  const roles = ['operator', 'service', 'seller:ann'].map((role) => parseRole(role)._unsafeUnwrap());
  token = (
    await host.container.get(Tokens.issueToken)({ subject: 'ann', roles, ttlSec: 600 })
  )._unsafeUnwrap();
  await eventually(async () => expect((await fetch(`${host.run.httpUrl}/readyz`)).status).toBe(200), {
    withinMs: 30_000,
  });
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

type Found = {
  offers: { offerId: string; card: { title: string; price?: { minorUnits: string }; sellerId: string } }[];
  total: string;
  categories: { categoryId: string; count: string; name: { en: string } }[];
  filters: {
    id: string;
    type: string;
    values: { id: string; count: string }[];
    exact: boolean;
    chosen: string;
  }[];
  nextPageToken: string;
  notes: string[];
};
const ask = (query: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${host.run.httpUrl}/v1/search?${query}`, init);
const search = async (query: string): Promise<Found> => {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Found;
};
const titles = async (query: string): Promise<readonly string[]> =>
  (await search(query)).offers.map(({ card }) => card.title).toSorted();
const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await fetch(`${host.run.httpUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
};
const publish = async (
  title: string,
  more: Record<string, unknown> = {},
  categoryId = 'rodents',
): Promise<string> => {
  const text = {
    title,
    description: 'Ручной, с клеткой и кормом.',
    price: { minorUnits: '150000', currency: 'RUB' },
    place: { address: 'Казань' },
    contacts: { phone: '+7 900 000-00-00' },
    ...more,
  };
  const owner = { userId: 'ann' };
  const { draft } = await call<{ draft: { id: string } }>('POST', '/v1/drafts:current', {
    owner,
    categoryId,
  });
  await call('PUT', `/v1/drafts/${draft.id}`, { owner, categoryId, text });
  const { offer } = await call<{ offer: { offerId: string } }>('POST', `/v1/drafts/${draft.id}:publish`, {
    sellerId: 'ann',
  });
  return offer.offerId;
};
const seen = (query: string, wanted: readonly string[]): Promise<void> =>
  eventually(async () => expect(await titles(query)).toEqual(wanted.toSorted()));

test('[S1] [S6] a published offer is found by any form of its words, and is gone after a ban', async () => {
  const id = await publish('Хомяк с клеткой');
  await publish('Морская свинка');
  await seen('text=хомяки', ['Хомяк с клеткой']);
  const { offers, categories } = await search('text=хомяка');
  expect(offers).toMatchObject([
    { offerId: id, card: { title: 'Хомяк с клеткой', sellerId: 'ann', price: { minorUnits: '150000' } } },
  ]);
  expect(JSON.stringify(offers)).not.toContain('900 000');
  expect(categories).toMatchObject([{ categoryId: 'rodents', count: '1', name: { en: 'Rodents' } }]);
  await call('POST', `/v1/offers/${id}:ban`, { reasons: ['test'], editable: false, opinionVersion: '1' });
  await seen('text=хомяк', []);
  await call('POST', `/v1/offers/${id}:unban`, { opinionVersion: '2' });
  await seen('text=хомяк', ['Хомяк с клеткой']);
});

test('[S6] a buyer opens an active offer without its contacts, and asks for them apart; others are not found', async () => {
  const id = await publish('Шиншилла');
  const open = (headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${host.run.httpUrl}/v1/public/offers/${id}`, { headers });
  const answer = await open();
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    offer: { id, title: 'Шиншилла', sellerId: 'ann', sellerType: 'SELLER_TYPE_PRIVATE' },
  });
  expect(text).not.toContain('900 000');
  const etag = answer.headers.get('etag')!;
  expect((await open({ 'if-none-match': etag })).status).toBe(304);
  const contacts = await fetch(`${host.run.httpUrl}/v1/public/offers/${id}/contacts`);
  expect(await contacts.json()).toEqual({ contacts: { phone: '+7 900 000-00-00' } });
  await call('DELETE', `/v1/offers/${id}`);
  expect((await open()).status).toBe(404);
  expect((await open({ 'if-none-match': etag })).status).toBe(404);
  expect((await fetch(`${host.run.httpUrl}/v1/public/offers/${id}/contacts`)).status).toBe(404);
});

test('[S1] the names and synonyms of a category find its offers', async () => {
  await seen('text=rodents', ['Морская свинка', 'Хомяк с клеткой']);
});

test('[S6] [S7] a category means everything below it, and its filters narrow the answer', async () => {
  await publish('Хомяк дорогой', { price: { minorUnits: '900000', currency: 'RUB' } });
  await seen('category=animals&text=хомяк', ['Хомяк дорогой', 'Хомяк с клеткой']);
  expect(await titles('category=animals&filter=price:..2000&text=хомяк')).toEqual(['Хомяк с клеткой']);
  expect(await titles('category=transport')).toEqual([]);
  const { filters } = await search('category=rodents&filter=price:..2000');
  const price = filters.find(({ id }) => id === 'price');
  expect(price).toMatchObject({
    type: 'FILTER_TYPE_RANGE',
    exact: true,
    foundMin: 1_500,
    foundMax: 9_000,
    chosen: 'price:..2000',
  });
  expect(filters.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['geo', 'withPhoto', 'sellerType', 'publishedWithin']),
  );
  expect(filters.find(({ id }) => id === 'sellerType')?.values).toMatchObject([
    { id: 'private', count: '2' },
  ]);
});

test('[S6] pages follow each other without gaps, and sorts by column hold', async () => {
  const first = await search('sort=priceDesc&page_size=1');
  expect(first.offers.map(({ card }) => card.title)).toEqual(['Хомяк дорогой']);
  const ids: string[] = [];
  for (let token = ''; ;) {
    const page = await search(`page_size=1&page_token=${encodeURIComponent(token)}`);
    ids.push(...page.offers.map(({ offerId }) => offerId));
    token = page.nextPageToken;
    if (token === '') break;
  }
  expect(new Set(ids).size).toBe(3);
  expect(ids).toHaveLength(3);
});

test('[S6] [S12] a text with a typo, of another layout or alphabet finds the offer, and says what was corrected', async () => {
  const ways = [
    ['хамяк', 'SPELLING_REASON_TYPO'],
    ['[jvzr', 'SPELLING_REASON_LAYOUT'],
    ['homyak', 'SPELLING_REASON_TRANSLITERATION'],
  ] as const;
  for (const [typed, reason] of ways) {
    await seen(`text=${encodeURIComponent(typed)}`, ['Хомяк дорогой', 'Хомяк с клеткой']);
    const found = await search(`text=${encodeURIComponent(typed)}`);
    expect(found).toMatchObject({
      spelling: { original: typed, corrected: 'хомяк', words: [{ from: typed, to: 'хомяк', reason }] },
    });
    expect(found.offers[0]).toMatchObject({ highlights: [{ start: 0, length: 5 }] });
  }
  expect(await titles('text=хамяк&spelling=off')).toEqual([]);
  expect(await search('text=хомяк')).not.toHaveProperty('spelling.corrected');
  const first = await search('text=хамяк&page_size=1');
  const second = await search(`text=хамяк&page_size=1&page_token=${encodeURIComponent(first.nextPageToken)}`);
  expect(second).toMatchObject({ total: '2', spelling: { corrected: 'хомяк' } });
  expect(second.offers[0]!.offerId).not.toBe(first.offers[0]!.offerId);
});

test('[S11] words, categories and titles are suggested as a buyer types', async () => {
  await eventually(async () =>
    expect(await call('GET', '/v1/search/suggest?text=хом&limit=3')).toMatchObject({
      suggestions: [
        { word: { text: 'хомяк', offers: '2' } },
        { category: { categoryId: 'rodents', offers: '2' } },
        { title: { text: expect.stringContaining('Хомяк') as string } },
        { title: { text: expect.stringContaining('Хомяк') as string } },
      ],
      notes: [],
    }),
  );
  const refused = await fetch(`${host.run.httpUrl}/v1/search/suggest?limit=21`);
  expect(refused.status).toBe(400);
});

test('[S8] the filters of a category, and why a filter or an offer is shown or not, are told over HTTP', async () => {
  const { filters } = await call<Found>('GET', '/v1/search/filters?category=rodents');
  expect(filters.map(({ id }) => id)).toEqual(expect.arrayContaining(['price', 'sellerType']));
  const why = (query: object, filterId: string) =>
    call('POST', '/v1/search:explainFilter', { query, filterId });
  expect(await why({ category: 'rodents' }, 'price')).toMatchObject({
    shown: true,
    reason: 'every found category has it',
    having: [{ categoryId: 'rodents' }],
  });
  expect(await why({ category: 'rodents' }, 'salary')).toMatchObject({
    shown: false,
    lacking: [{ categoryId: 'rodents', name: { en: 'Rodents' } }],
  });
  const { offers } = await search('text=хомяк&sort=price');
  const offerId = offers.at(-1)!.offerId;
  const explain = (query: object) =>
    call('POST', '/v1/search:explainOffer', { offerId, query: { text: 'хамяк', ...query } });
  expect(await explain({ sort: 'price', pageSize: 1 })).toMatchObject({
    found: true,
    rank: '2',
    page: '2',
    total: '2',
    spelling: { corrected: 'хомяк' },
    score: { words: [{ word: 'хомяк', offers: '2' }] },
  });
  expect(await explain({ text: 'хомяк', filter: ['price:..2000', 'withPhoto:true'] })).toMatchObject({
    found: false,
    exclusions: [
      {
        kind: 'filter',
        subject: 'price:..2000',
        reason: 'the filter price:..2000 excludes it: the offer has 9000',
      },
      { kind: 'filter', subject: 'withPhoto:true' },
    ],
  });
  const located = await call('GET', `/v1/vasgen/offers/documents:locate?pk=${offerId}`);
  expect(located).toMatchObject({ epochs: [{ epoch: '1', serving: true, state: 'alive', failure: '' }] });
  const told = await call('POST', '/v1/vasgen/offers:explain', {
    query: { plan: 'offers', filter: { exists: 'point' } },
    pk: offerId,
  });
  expect(told).toMatchObject({
    state: 'DOCUMENT_STATE_ALIVE',
    matches: false,
    conditions: [{ path: 'filter', kind: 'exists', field: 'point', holds: false }],
  });
});

test.each([
  ['spelling=maybe', 'spelling'],
  ['category=nothing', 'category'],
  ['filter=attr.nothing:1', 'filter[0]'],
  ['filter=price:5..1', 'filter[0]'],
  ['filter=price', 'filter[0]'],
  ['filter=near:95,0,10', 'filter[0]'],
  ['filter=price:1..2&filter=price:3..4', 'filter[1]'],
  ['sort=best', 'sort'],
  ['sort=distance', 'near'],
  ['sort=distance&near=95,0', 'near'],
  ['page_size=0', 'page_size'],
  ['page_size=101', 'page_size'],
  [`text=${'x'.repeat(401)}`, 'text'],
  ['text=a%00b', 'text'],
  ['page_token=abc', 'page_token'],
  [Array.from({ length: 51 }, (_, n) => `filter=attr.a${n}:1`).join('&'), 'filter'],
  [Array.from({ length: 200 }, (_, n) => `filter=attr.a${n}:1`).join('&'), 'filter'],
  ['filter=employment:nothing', 'filter[0]'],
  ['filter=attr.employment-type:full-time', 'filter[0]'],
  ['filter=sellerType:nothing', 'filter[0]'],
  ['category=dogs&filter=attr.dog-breed:nothing', 'filter[0]'],
  ['filter=withPhoto:maybe', 'filter[0]'],
  ['filter=publishedWithin:0d', 'filter[0]'],
  ['filter=price:NaN..1', 'filter[0]'],
  ['filter=price:NaN', 'filter[0]'],
  ['filter=price:..', 'filter[0]'],
  ['filter=near:0,181,10', 'filter[0]'],
  ['filter=nothing:1', 'filter[0]'],
  [`text=${'x'.repeat(10_240)}`, 'text'],
])('[S9] %.60s is refused with the name of its field', async (query, field) => {
  const answer = await ask(query);
  expect(answer.status).toBe(400);
  const problem = (await answer.json()) as { violations: { field?: string; path?: string }[] };
  expect(JSON.stringify(problem.violations)).toContain(`"${field}"`);
});

test('[S9] a page token of another query, or one that was changed, is refused', async () => {
  const { nextPageToken } = await search('page_size=1');
  expect((await ask(`page_size=1&text=x&page_token=${encodeURIComponent(nextPageToken)}`)).status).toBe(400);
  const changed = nextPageToken.slice(0, -2) + (nextPageToken.endsWith('A') ? 'BB' : 'AA');
  expect((await ask(`page_size=1&page_token=${encodeURIComponent(changed)}`)).status).toBe(400);
});

test.each([0, 101])(
  '[S9] every wrong field is named at once, over gRPC as over HTTP, with pages of %i',
  async (pageSize) => {
    const wrong = {
      sort: 'best',
      filters: ['price:5..1', 'near:95,0,10'],
      pageSize,
      text: 'x'.repeat(401),
    };
    const channel = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
    const refused = await searchClient(channel).explainOffer(
      { category: '', near: '', pageToken: '', spelling: '', ...wrong },
      'x',
    );
    channel.close();
    const error = refused._unsafeUnwrapErr();
    expect(error.kind === 'InvalidInput' && error.violations.map(({ path }) => path)).toEqual([
      'text',
      'filter[0]',
      'sort',
      'page_size',
    ]);
  },
);

test.each(['text=%2C.!', 'text=и', 'text=the'])(
  '[S6] a text of stop words or punctuation is no condition, and the answer says so: %s',
  async (query) => {
    expect(await search(query)).toMatchObject({ total: '3', notes: ['TextIgnored'] });
  },
);

test('[S6] a page of a configured origin may search, and POST means the same as GET', async () => {
  const answer = await ask('text=хомяк', { headers: { origin: 'https://shop.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  const posted = await fetch(`${host.run.httpUrl}/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'хомяк', filter: ['price:..2000'] }),
  });
  expect(((await posted.json()) as Found).offers.map(({ card }) => card.title)).toEqual(['Хомяк с клеткой']);
});

/** A document of the serving epoch that no offer stands behind. */
const plantGhost = async (pk: string, title: string): Promise<void> => {
  const { epochs } = await call<{ epochs: { epoch: string }[] }>('GET', '/v1/vasgen/offers/epochs');
  await call('POST', '/v1/vasgen/offers/documents:push', {
    documents: [
      {
        pk,
        event: 'DOCUMENT_EVENT_UPSERT',
        epoch: epochs[0]!.epoch,
        version: '7',
        modifyTimestampMs: String(Date.now()),
        fields: [{ name: 'title', text: title }],
      },
    ],
  });
};

test('[S10] an audit finds a planted document without an offer, a repair deletes it, a re-index keeps the rest', async () => {
  const kept = await publish('Дегу оставленный');
  await seen('text=дегу', ['Дегу оставленный']);
  const ghost = 'no-such-offer';
  await plantGhost(ghost, 'Дегу призрак');
  await eventually(async () => expect((await search('text=дегу')).total).toBe('2'));
  const walk = async (mode: string) => {
    const findings: string[] = [];
    let sent = 0;
    for (let cursor = ''; ;) {
      const slice = await call<{
        findings: { offerId: string; kind: string }[];
        sent: string;
        nextCursor: string;
      }>('POST', '/v1/search:reindex', { mode: `REINDEX_MODE_${mode}`, cursor });
      findings.push(...slice.findings.map(({ offerId, kind }) => `${kind} ${offerId}`));
      sent += Number(slice.sent);
      cursor = slice.nextCursor;
      if (cursor === '') return { findings, sent };
    }
  };
  expect(await walk('AUDIT')).toEqual({ findings: [`ghost ${ghost}`], sent: 0 });
  expect(await walk('REPAIR')).toEqual({ findings: [`ghost ${ghost}`], sent: 1 });
  await seen('text=дегу', ['Дегу оставленный']);
  const { total } = await search('');
  expect(await walk('REINDEX')).toEqual({ findings: [], sent: Number(total) });
  expect(await walk('AUDIT')).toEqual({ findings: [], sent: 0 });
  expect((await search('text=дегу')).offers.map(({ offerId }) => offerId)).toEqual([kept]);
  expect(await search('')).toMatchObject({ total });
});

/** The program `doska`, as an operator calls it. */
const doska = async (...args: readonly string[]): Promise<string> => {
  const bin = fileURLToPath(new URL('../../cli/bin/doska.mjs', import.meta.url));
  const env = {
    PATH: process.env['PATH'] ?? '',
    DOSKA_URL: host.run.grpcAddress,
    DOSKA_TOKEN: token,
  };
  return (await promisify(execFile)(process.execPath, [bin, ...args], { env })).stdout;
};

test('[S8] [S10] doska search why names the page of an offer, or the filter that excludes it', async () => {
  const { offers } = await search('text=хомяк&sort=price');
  const offerId = offers.at(-1)!.offerId;
  const why = async (...more: readonly string[]) =>
    (await doska('search', 'why', offerId, '--text', 'хомяк', ...more)).split('\n')[0];
  expect(await why('--sort', 'price', '--page-size', '1')).toMatch(
    /^It is on page 2, place 2 of 2, because its score is \d/,
  );
  expect(await why('--filter', 'attr.animal-sex:male')).toBe(
    'It is not in these results: the filter attr.animal-sex:male excludes it: the offer says nothing.',
  );
  expect(await why('--filter', 'price:..2000')).toBe(
    'It is not in these results: the filter price:..2000 excludes it: the offer has 9000.',
  );
}, 240_000);

test('[S10] doska search audit only tells of differences, with --repair it sends them', async () => {
  const ghost = 'another-ghost';
  await plantGhost(ghost, 'Дегу двойник');
  await eventually(async () => expect((await search('text=двойник')).total).toBe('1'));
  const told = JSON.parse(await doska('--json', 'search', 'audit')) as object;
  expect(told).toMatchObject({ sent: 0, ghost: 1, missing: 0, findings: [{ offerId: ghost }] });
  expect((await search('text=двойник')).total).toBe('1');
  expect(await doska('search', 'audit', '--repair')).toContain('1 that should not be there');
  await eventually(async () => expect((await search('text=двойник')).total).toBe('0'));
  expect(JSON.parse(await doska('--json', 'search', 'audit'))).toMatchObject({ ghost: 0, findings: [] });
}, 240_000);

/** A search API of its own process; what it asks is elsewhere, or away. */
const alone = async (env: Record<string, string>): Promise<RunningHost> => {
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: join(dataDir, 'alone'),
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_PARTITIONS: '2',
      DOSKA_SEARCH_TOKEN: token,
      ...env,
    },
    contexts,
  )._unsafeUnwrap();
  const one = apps.filter(({ name }) => name === 'search-api');
  const started = await startHost('search-api', one, config);
  if (started.isErr()) throw new Error(JSON.stringify(started.error));
  return started.value;
};
const UNREACHABLE = '127.0.0.1:1';

test('[S6] a searcher that is away is 503, and says when to ask again', async () => {
  const api = await alone({ DOSKA_SEARCH_SEARCHER_URL: UNREACHABLE });
  try {
    const answer = await fetch(`${api.run.httpUrl}/v1/search?text=x`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    await api.stop();
  }
});

test('[S7] a catalogue that is away leaves the offers without filters, and the answer says so', async () => {
  const api = await alone({
    DOSKA_SEARCH_SEARCHER_URL: host.run.grpcAddress,
    DOSKA_CATALOG_URL: UNREACHABLE,
  });
  try {
    const ask = async (query: string) => fetch(`${api.run.httpUrl}/v1/search?${query}`);
    await eventually(async () => expect((await ask('text=дегу')).status).toBe(200));
    expect(await (await ask('text=дегу')).json()).toMatchObject({
      total: '1',
      filters: [],
      notes: ['NoCatalog'],
    });
    expect((await ask('category=rodents')).status).toBe(503);
  } finally {
    await api.stop();
  }
});

test('[F11] snippets stand beside the offers of a search and beside the answer; without the service they are left out', async () => {
  const channel = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
  const content = new TextEncoder().encode('new');
  for (const key of ['seller:ann', 'query:дегу'])
    (await snippetClient(channel).put({ name: 'badge', key, format: 'raw', content }))._unsafeUnwrap();
  channel.close();
  const query = 'text=дегу&snippet_names=badge';
  const badge = {
    name: 'badge',
    format: 'SNIPPET_FORMAT_RAW',
    content: Buffer.from('new').toString('base64'),
  };
  const withBadge = {
    offers: [{ snippets: [badge] }],
    snippets: [{ ...badge, key: 'query:дегу' }],
    notes: [],
  };
  const answersOf = async (more: Record<string, string>, expected: object): Promise<void> => {
    const api = await alone({ DOSKA_SEARCH_SEARCHER_URL: host.run.grpcAddress, ...more });
    try {
      await eventually(async () =>
        expect(await (await fetch(`${api.run.httpUrl}/v1/search?${query}`)).json()).toMatchObject(expected),
      );
    } finally {
      await api.stop();
    }
  };
  await answersOf({ DOSKA_SEARCH_SNIPPETS_URL: host.run.grpcAddress }, withBadge);
  await answersOf({}, { total: '1', notes: ['NoSnippets'] });
  // In one process search asks the service of its process.
  expect(await search(query)).toMatchObject(withBadge);
});

test('[S9] a page token of an epoch that is gone is refused with what to do', async () => {
  const { nextPageToken } = await search('page_size=1');
  const change = (command: string) =>
    call<{ epochs: { epoch: string; state: string }[] }>('POST', '/v1/vasgen/offers/epochs:change', {
      command: `EPOCH_COMMAND_${command}`,
      force: true,
    });
  for (const command of ['CREATE', 'PROMOTE', 'FINISH']) await change(command);
  await eventually(
    async () => {
      const answer = await ask(`page_size=1&page_token=${encodeURIComponent(nextPageToken)}`);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('start again without a token');
    },
    { withinMs: 30_000 },
  );
});

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openEmbeddedEngine } from '@doska/adapters-engine';
import { grpcChannel, grpcServer, searchService } from '@doska/adapters-grpc';
import { httpServer } from '@doska/adapters-http';
import { cardCodec, searchEventsCodec } from '@doska/adapters-proto';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import {
  SearchOffersRequest,
  SearchServiceDefinition,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import { makeCallKit, rpcService, type RpcService } from '@doska/adapters-rpc';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { catalogOf, type Attribute, type CategoryId } from '@doska/core/catalog';
import type { OfferId, OfferView, SellerId } from '@doska/core/gost';
import { silentTelemetry, type Clock } from '@doska/core/kernel';
import {
  defaultSearchSettings,
  documentOf,
  OFFERS_PLAN,
  offersPlans,
  offersSchema,
  openSearchApi,
  type RawQuery,
  type SearchIndex,
} from '@doska/core/search';
import {
  indexChangeOf,
  queryPlanOf,
  type IndexName,
  type RawDocument,
  type SearchRequest,
} from '@doska/core/vasgen';
import { ok, okAsync } from 'neverthrow';
import { chance, fieldsOf } from './engine/corpus.ts';
import { numberOption, runBench, type Measured } from './harness.ts';
import { toolPath } from './tools.ts';

/** Pages of 20 with cards and filters: over gRPC against an echo of the same bytes, over HTTP against a bare handler, and against the engine. */
const DOCS = numberOption(process.argv, '--docs', 200_000);
const SECONDS = 3;
const NOW_MS = 1_795_000_000_000;
const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
const run = promisify(execFile);
const names = (en: string) => ({ ru: en, en, synonyms: { ru: [], en: [] } });
const next = chance(3);
const below = (n: number): number => Math.floor(next() * n);

const BRANDS = Array.from({ length: 30 }, (_, n) => `brand-${n}`);
const dictionary = (id: string, values: readonly string[]) =>
  ({
    id,
    names: names(id),
    multiple: false,
    filterable: true,
    retired: false,
    type: {
      kind: 'dictionary',
      values: values.map((value) => ({ id: value, names: names(value), retired: false })),
    },
  }) as unknown as Attribute;
const CATEGORIES = Array.from({ length: 40 }, (_, n) => `category-${n}`);
const catalog = catalogOf(1, {
  attributes: [dictionary('brand', BRANDS), dictionary('color', ['red', 'blue', 'white', 'black'])],
  categories: ['all', ...CATEGORIES].map((id, n) => ({
    id: id as CategoryId,
    parent: n === 0 ? undefined : ('all' as CategoryId),
    names: names(id),
    attributes: n === 0 ? [{ attribute: 'brand' }, { attribute: 'color' }] : [],
    filters: { add: [], remove: [] },
    retired: false,
  })) as never,
});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const offerOf = (n: number): OfferView => {
  const { title, description } = fieldsOf(n);
  return {
    id: `offer-${n}` as OfferId,
    seller: `seller-${below(2_000)}` as SellerId,
    sellerType: 'private',
    source: undefined,
    status: 'active',
    reasons: [],
    category: CATEGORIES[below(CATEGORIES.length)] as CategoryId,
    attributes: [
      { attribute: 'brand' as never, values: [BRANDS[below(BRANDS.length)]!] },
      { attribute: 'color' as never, values: [['red', 'blue', 'white', 'black'][below(4)]!] },
    ],
    title: text(title),
    description: text(description),
    price: { minorUnits: below(10_000_000), currency: 'RUB' },
    photos: [],
    place: { address: 'Казань, метро Площадь Тукая', point: undefined },
    geo: { geoId: 'kazan', district: undefined, metro: [] },
    createdAtUs: (NOW_MS - below(1e9)) * 1_000,
    updatedAtUs: NOW_MS * 1_000,
    expiresAtUs: undefined,
    version: 1,
    catalogVersion: 1,
  };
};

const analyzer = russianEnglishAnalyzer();
const engine = (await openEmbeddedEngine({ analyzer, clock }))._unsafeUnwrap();
const name = 'offers-1' as IndexName;
const schema = offersSchema(catalog);
(await engine.create({ name, epoch: 1, schema }))._unsafeUnwrap();
const place = { epoch: 1, composedAtMs: NOW_MS };
const documents = new Map<string, RawDocument>();
for (let from = 0; from < DOCS; from += 2_000) {
  const some = Array.from(
    { length: Math.min(2_000, DOCS - from) },
    (_, n) =>
      documentOf(offerOf(from + n), place, {
        catalog,
        schema,
        rates: { RUB: 1 },
        ctr: undefined,
        cards: cardCodec,
      }).document,
  );
  for (const one of some) documents.set(one.pk, one);
  (await engine.apply(name, some.map(indexChangeOf)))._unsafeUnwrap();
}
(await engine.flush(name))._unsafeUnwrap();

const plan = offersPlans(defaultSearchSettings.ranking)[OFFERS_PLAN]!;
const planFor = (request: SearchRequest) =>
  queryPlanOf(request, request.plan === '' ? { boosts: [], counts: [] } : plan, Date.now());
const more = { epoch: 1, searcher: 'bench', indexAgeMs: 0 };
const refused = (error: unknown): never => {
  throw new Error(JSON.stringify(error));
};
let lastRequest: SearchRequest | undefined;
const index: SearchIndex = {
  execute: (request) => {
    lastRequest = request;
    return engine
      .execute({ index: name }, planFor(request))
      .mapErr(refused)
      .map((answer) => ({ ...answer, ...more }));
  },
  explain: (request, pk) =>
    engine
      .explain({ index: name }, planFor(request), pk)
      .mapErr(refused)
      .map((told) => ({ ...told, ...more })),
  words: (asked) => engine.words({ index: name }, asked).mapErr(refused),
  documents: (_, pks) => okAsync(pks.flatMap((pk) => documents.get(pk) ?? [])),
};
const copied = { catalog, ageMs: 0 };
const api = openSearchApi(
  {
    index,
    catalog: { copy: () => ok(copied), atLeast: async () => ok(copied) },
    analyzer,
    signer: { sign: () => 'signature', verify: () => true },
    ids: { next: randomUUID },
    log: { promises: { fences: false, joinsTransactions: false }, publish: () => okAsync(undefined) },
    events: searchEventsCodec,
    cards: cardCodec,
    clock,
    telemetry: silentTelemetry,
  },
  defaultSearchSettings,
);

const [word = ''] = analyzer.words(text(fieldsOf(7).title));
const query = { text: word, category: CATEGORIES[3]!, filter: ['attr.color:red'] };
const raw: RawQuery = {
  text: query.text,
  category: query.category,
  filters: query.filter,
  sort: '',
  near: '',
  pageSize: 20,
  pageToken: '',
  spelling: 'off',
};
const answer = (await api.searchOffers(raw))._unsafeUnwrap();
if (answer.offers.length === 0 || answer.notes.length > 0)
  throw new Error(`${answer.offers.length} offers, notes ${answer.notes.join()}`);
const asked = lastRequest!;

const shared = {
  listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
  clock,
  ids: { next: randomUUID },
  telemetry: silentTelemetry,
  authenticator: {
    authenticate: () => okAsync({ subject: 'bench', roles: [{ name: 'operator' as const }] }),
  },
} as const;
const own = searchService({ ...api, ratePerMinute: 0 });
const request = SearchOffersRequest.fromPartial({ ...query, pageSize: 20, spelling: 'off' });
const calls = makeCallKit(shared);
const http = (
  await httpServer({ ...shared, calls, routes: [], json: { services: [own], descriptorSet } })
)._unsafeUnwrap();
const grpc = (await grpcServer({ ...shared, calls, services: [own] }))._unsafeUnwrap();

const path = `/v1/search?text=${encodeURIComponent(query.text)}&category=${query.category}&filter=${query.filter[0]!}&page_size=20&spelling=off`;
const authorization = 'Bearer bench';
const body = await (
  await fetch(`http://127.0.0.1:${http.port}${path}`, { headers: { authorization } })
).text();
const channel = grpcChannel({ target: `127.0.0.1:${grpc.port}`, token: 'bench', clock });
const told = (await channel.client(SearchServiceDefinition).searchOffers(request))._unsafeUnwrap();
channel.close();
if (told.offers.length !== answer.offers.length) throw new Error(`another answer: ${body.slice(0, 300)}`);
const bare = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(body);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => bare.once('listening', resolve));

/** The same answer without a search. */
const each = (value: unknown) =>
  Object.fromEntries(Object.keys(SearchServiceDefinition.methods).map((key) => [key, value]));
const echo: RpcService = rpcService({
  definition: SearchServiceDefinition,
  handlers: { ...each(async () => ok({})), searchOffers: async () => ok(told) } as never,
  access: each({ roles: ['operator'] }) as never,
  errors: {},
});
const echoGrpc = (
  await grpcServer({ ...shared, calls: makeCallKit(shared), services: [echo] })
)._unsafeUnwrap();

const h2load = async (args: readonly string[]): Promise<Measured> => {
  const header = ['-H', `authorization: ${authorization}`];
  const { stdout } = await run(toolPath('h2load'), ['-t', '1', '-D', String(SECONDS), ...header, ...args]);
  const counts = /requests: .* ([0-9]+) succeeded, ([0-9]+) failed, ([0-9]+) errored/.exec(stdout);
  const rate = /finished in [^,]+, ([0-9.]+) req\/s/.exec(stdout)?.[1];
  if (!counts || !rate || counts[2] !== '0' || counts[3] !== '0')
    throw new Error(`h2load did not get its answers:\n${stdout}`);
  return { value: Number(rate) };
};
const folder = mkdtempSync(join(tmpdir(), 'doska-search-bench-'));
const message = SearchOffersRequest.encode(request).finish();
const length = Buffer.alloc(5);
length.writeUInt32BE(message.length, 1);
const file = join(folder, 'request.bin');
writeFileSync(file, Buffer.concat([length, message]));
const rpc = (port: number): Promise<Measured> => {
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  const url = `http://127.0.0.1:${port}/${SearchServiceDefinition.fullName}/SearchOffers`;
  return h2load(['-c', '4', '-m', '16', '-d', file, ...headers, url]);
};
const json = (port: number): Promise<Measured> =>
  h2load(['--h1', '-c', '64', `http://127.0.0.1:${port}${path}`]);

/** One after another in this process. */
const sequential = async (figure: string, work: () => Promise<unknown>): Promise<Measured> => {
  const latencies: number[] = [];
  const fromMs = performance.now();
  while (performance.now() - fromMs < SECONDS * 1_000) {
    const startMs = performance.now();
    await work();
    latencies.push(performance.now() - startMs);
  }
  const sorted = latencies.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(0.99 * (sorted.length - 1))]!;
  return {
    value: (latencies.length * 1_000) / (performance.now() - fromMs),
    plain: { [`${figure}_p99_ms`]: p99 },
  };
};
const stop = new AbortController();
void api.keepDictionary(stop.signal);
const begun = word.slice(0, 3);
for (;;) {
  const { notes } = (await api.suggest({ text: begun, category: '', limit: 0 }))._unsafeUnwrap();
  if (!notes.includes('NoWords')) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}

await runBench({
  name: 'search-api',
  unit: 'requests/s',
  ratios: [
    { name: 'grpc_vs_echo', subject: 'grpc', baseline: 'grpc_echo', goal: 0.5, stretch: 0.7 },
    { name: 'http_vs_bare', subject: 'http', baseline: 'http_bare', goal: 0.4, stretch: 0.6 },
    { name: 'vs_engine', subject: 'grpc', baseline: 'engine', goal: 0.3, stretch: 0.5 },
  ],
  variants: [
    { name: 'grpc', run: () => rpc(grpc.port) },
    { name: 'grpc_echo', run: () => rpc(echoGrpc.port) },
    { name: 'http', run: () => json(http.port) },
    { name: 'http_bare', run: () => json((bare.address() as AddressInfo).port) },
    {
      name: 'engine',
      run: () => sequential('engine', async () => engine.execute({ index: name }, planFor(asked))),
    },
    { name: 'search', run: () => sequential('search', () => api.searchOffers(raw)) },
    {
      name: 'suggest',
      run: () => sequential('suggest', () => api.suggest({ text: begun, category: '', limit: 0 })),
    },
  ],
});
stop.abort();
rmSync(folder, { recursive: true });
bare.close();
await Promise.all([http.stop(500), grpc.stop(500), echoGrpc.stop(500)]);
await engine.close();

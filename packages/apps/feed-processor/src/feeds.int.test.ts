import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { feedClient, grpcChannel, type ToldLoad as ToldLoadOverGrpc } from '@doska/adapters-grpc';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, systemClock, Tokens, type RunningHost } from '@doska/app-composition';
import { feedLoader } from '@doska/app-feed-loader';
import { feedsApi } from '@doska/app-feeds-api';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { contexts } from '@doska/app-wiring';
import { GostTokens } from '@doska/app-wiring/gost';
import { offerStatus, type SellerId } from '@doska/core/gost';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedProcessor } from './index.ts';

const sampleFile = (name: string): Buffer =>
  readFileSync(new URL(`../../../../samples/feeds/${name}`, import.meta.url));
const SHOP = sampleFile('shop.xml');
let database: FreshDatabase;
let host: RunningHost;
let web: Server;
let page: { status: number; body: string; location?: string } = { status: 200, body: '' };
const asked: (string | undefined)[] = [];
const dataDir = mkdtempSync(join(tmpdir(), 'doska-feeds-'));
beforeAll(async () => {
  database = await freshDatabase();
  web = createServer((request, response) => {
    asked.push(request.headers['if-none-match']);
    const etag = `"${page.body.length}"`;
    const isKnown = request.headers['if-none-match'] === etag;
    const { status, body, location } = page;
    response
      .writeHead(isKnown ? 304 : status, { etag, ...(location === undefined ? {} : { location }) })
      .end(isKnown ? '' : body);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_PARTITIONS: '4',
      DOSKA_FEEDS_POLL_MS: '50',
      DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
      DOSKA_DOWNLOAD_PORTS: `80,443,${(web.address() as AddressInfo).port}`,
    },
    contexts,
  )._unsafeUnwrap();
  const apps = [catalogApi, gostScheduler, feedsApi, feedLoader, feedProcessor];
  host = (await startHost('feeds-test', apps, config))._unsafeUnwrap();
});
afterAll(async () => {
  await host?.stop();
  web?.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const tokenOf = async (role: string): Promise<string> =>
  (
    await host.container.get(Tokens.issueToken)({
      subject: 'test',
      ttlSec: 600,
      roles: [parseRole(role)._unsafeUnwrap()],
    })
  )._unsafeUnwrap();
type Answer = { readonly status: number; readonly body: Record<string, never> };
const call = async (
  role: string,
  method: string,
  path: string,
  body?: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(`${host.run.httpUrl}/v1/sellers/${path}`, {
    method,
    headers: { authorization: `Bearer ${await tokenOf(role)}`, ...headers },
    ...(body === undefined ? {} : { body: body as string }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text.startsWith('{') ? JSON.parse(text.split('\n')[0]!) : {}) as Record<string, never>,
  };
};
const asJson = { 'content-type': 'application/json' };
type ToldLoad = {
  readonly place: string;
  readonly error: string;
  readonly errorCode: string;
  readonly removal: string;
  readonly statistics: Record<string, string>;
  readonly progress: Record<string, string>;
};
let sellers = 0;
const newSeller = (): string => `shop-${++sellers}`;
const upload = async (seller: string, file: Uint8Array | string, headers: Record<string, string> = {}) => {
  const answer = await call(`seller:${seller}`, 'POST', `${seller}/feeds/main/loads`, file, headers);
  expect(answer).toMatchObject({ status: 200 });
  return Number((answer.body as unknown as { task: string }).task);
};
const loadOf = async (seller: string, task: number): Promise<ToldLoad> => {
  const answer = await call(`seller:${seller}`, 'GET', `${seller}/feeds/main/loads/${task}`);
  expect(answer.status).toBe(200);
  return (answer.body as unknown as { load: ToldLoad }).load;
};
const ended = (seller: string, task: number, place = 'LOAD_PLACE_SUCCEED'): Promise<ToldLoad> =>
  eventually(async () => {
    const load = await loadOf(seller, task);
    expect(load.place).toBe(place);
    return load;
  });
const standing = async (seller: string): Promise<Record<string, string>> => {
  const { scan } = host.container.get(GostTokens.stores);
  const offers = (await scan.ofSeller(seller as SellerId, { limit: 1_000 }))._unsafeUnwrap();
  return Object.fromEntries(
    offers.map((offer) => [offer.source?.externalId ?? offer.content.title, offerStatus(offer)]),
  );
};
type ToldError = {
  readonly externalId: string;
  readonly code: string;
  readonly path: string;
  readonly number: string;
};
const errorsOf = async (seller: string, task: number): Promise<readonly ToldError[]> => {
  const errors: ToldError[] = [];
  for (let page: readonly ToldError[] | undefined; page === undefined || page.length > 0;) {
    const last = errors.at(-1);
    const after =
      last && `&afterExternalId=${encodeURIComponent(last.externalId)}&afterNumber=${last.number}`;
    const { body } = await call(
      `seller:${seller}`,
      'GET',
      `${seller}/feeds/main/loads/${task}/errors?limit=200${after ?? ''}`,
    );
    page = (body as unknown as { errors: ToldError[] }).errors;
    errors.push(...page);
  }
  return errors;
};
const offerXml = (id: string, title = `Велосипед ${id}`): string =>
  `<offer id="${id}"><title>${title}</title><category>bicycles</category><contacts><phone>+7 900 000-00-01</phone></contacts>` +
  `<attributes><attribute name="bike-type">city</attribute></attributes></offer>`;
const feedXml = (...ids: readonly string[]): string =>
  `<feed>${ids.map((id) => offerXml(id)).join('')}</feed>`;

describe('a feed', () => {
  test.each(['shop', 'shop-mended', 'market'])(
    '[P1] [P4] [P5] [P6] [P11] sample %s: good offers are published, every fault is told with its place',
    async (sample) => {
      const seller = newSeller();
      const task = await upload(seller, sampleFile(`${sample}.xml`));
      const { statistics } = await ended(seller, task);
      const found = {
        statistics: Object.fromEntries(
          ['inserted', 'rejected', 'errors', 'warnings'].map((name) => [name, Number(statistics[name])]),
        ),
        active: Object.keys(await standing(seller)).sort(),
        errors: (await errorsOf(seller, task)).map(
          ({ externalId, code, path }) => `${externalId} ${code} ${path}`,
        ),
      };
      expect(found).toEqual(JSON.parse(sampleFile(`${sample}.expected.json`).toString()));
    },
  );
  test('[P4] a file that is cut off sends nothing and says so', async () => {
    const seller = newSeller();
    const task = await upload(seller, SHOP.subarray(0, 1_500));
    expect(await ended(seller, task, 'LOAD_PLACE_FAILED')).toMatchObject({ errorCode: 'truncated' });
    expect(await standing(seller)).toEqual({});
  });
  test('[P12] an emptied file is held; approved it removes the offers, rejected it does not', async () => {
    const seller = newSeller();
    const ids = Array.from({ length: 30 }, (_, n) => `b${n}`);
    await ended(seller, await upload(seller, gzipSync(feedXml(...ids))));
    const rejected = await upload(seller, feedXml('b0'));
    expect(await ended(seller, rejected, 'LOAD_PLACE_HELD')).toMatchObject({ statistics: { unseen: '29' } });
    await call(`seller:${seller}`, 'POST', `${seller}/feeds/main/loads/${rejected}:reject`, '{}', asJson);
    expect(await ended(seller, rejected)).toMatchObject({ removal: 'refused' });
    const approved = await upload(seller, feedXml('b1'));
    await ended(seller, approved, 'LOAD_PLACE_HELD');
    await call(`seller:${seller}`, 'POST', `${seller}/feeds/main/loads/${approved}:approve`, '{}', asJson);
    expect(await ended(seller, approved)).toMatchObject({ removal: 'done', statistics: { removed: '29' } });
    const active = Object.entries(await standing(seller)).filter(([, status]) => status === 'active');
    expect(active).toEqual([['b1', 'active']]);
  });
  test('[P1] the same request id is the same load; a link refuses uploads unless they replace it', async () => {
    const seller = newSeller();
    const first = await upload(seller, feedXml('a'), { 'idempotency-key': 'k1' });
    expect(await upload(seller, feedXml('a', 'b'), { 'idempotency-key': 'k1' })).toBe(first);
    await ended(seller, first);
    const settings = { settings: { url: 'https://feeds.example/feed.xml', intervalSeconds: 3_600 } };
    const set = await call(
      `seller:${seller}`,
      'PUT',
      `${seller}/feeds/main`,
      JSON.stringify(settings),
      asJson,
    );
    expect(set.status).toBe(200);
    const refused = await call(`seller:${seller}`, 'POST', `${seller}/feeds/main/loads`, feedXml('c'));
    expect(refused.status).toBe(400);
    const replaced = await call(
      `seller:${seller}`,
      'POST',
      `${seller}/feeds/main/loads?replace=true`,
      feedXml('c'),
    );
    expect(replaced.status).toBe(200);
  });
  test('[P1] a feed removed as manual leaves its offers to the seller, also when it is made again at once', async () => {
    const seller = newSeller();
    await ended(seller, await upload(seller, feedXml('x', 'y')));
    const removal = JSON.stringify({ offers: 'ABSENT_OFFERS_MANUAL' });
    expect(
      (await call(`seller:${seller}`, 'POST', `${seller}/feeds/main:remove`, removal, asJson)).status,
    ).toBe(200);
    const again = await upload(seller, feedXml('z'));
    expect(again).toBe(3);
    await ended(seller, again);
    expect(await standing(seller)).toEqual({ 'Велосипед x': 'active', 'Велосипед y': 'active', z: 'active' });
  });
  test('[P1] a seller sees only his own feeds', async () => {
    const seller = newSeller();
    await upload(seller, feedXml('a'));
    expect((await call('seller:other', 'GET', `${seller}/feeds/main`)).status).toBe(403);
    expect((await call('operator', 'GET', `${seller}/feeds/main`)).status).toBe(200);
  });
  const setLink = (seller: string, url: string) =>
    call(
      `seller:${seller}`,
      'PUT',
      `${seller}/feeds/main`,
      JSON.stringify({ settings: { url, intervalSeconds: 900 } }),
      asJson,
    );
  type ToldFeed = { readonly link: { readonly failures: number; readonly lastError: string } };
  const feedOf = async (seller: string): Promise<ToldFeed> =>
    (await call(`seller:${seller}`, 'GET', `${seller}/feeds/main`)).body as unknown as ToldFeed;
  test('[P2] a link is fetched over the network, and asked for again with its conditions', async () => {
    const seller = newSeller();
    page = { status: 200, body: feedXml('l1', 'l2') };
    await setLink(seller, `http://127.0.0.1:${(web.address() as AddressInfo).port}/feed.xml`);
    await eventually(async () => expect(await standing(seller)).toEqual({ l1: 'active', l2: 'active' }));
    await ended(seller, 1);
    const before = asked.length;
    await call(`seller:${seller}`, 'POST', `${seller}/feeds/main:fetch`, '{}', asJson);
    await eventually(async () => {
      const load = (await loadOf(seller, 1)) as ToldLoad & { readonly unchangedFetches: number };
      expect(load.unchangedFetches).toBe(1);
    });
    expect(asked[before]).toBe(`"${page.body.length}"`);
  });
  test.each([
    'http://127.0.0.2/feed.xml',
    'http://169.254.169.254/latest',
    'http://10.0.0.1/f',
    'http://[::1]/f',
  ])('[P2] a link to %s is not asked, and the seller is told why', async (url) => {
    const seller = newSeller();
    await setLink(seller, url);
    await eventually(async () => expect((await feedOf(seller)).link.failures).toBe(1));
    expect((await feedOf(seller)).link.lastError).not.toBe('');
  });
  test('[P1] errors are exported as CSV', async () => {
    const seller = newSeller();
    const task = await upload(seller, SHOP);
    await ended(seller, task);
    const response = await fetch(
      `${host.run.httpUrl}/v1/sellers/${seller}/feeds/main/loads/${task}/errors.csv`,
      {
        headers: { authorization: `Bearer ${await tokenOf(`seller:${seller}`)}` },
      },
    );
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect((await response.text()).split('\r\n')).toHaveLength(9);
  });
  test('[P1] errors are exported as XLSX over HTTP, and as a stream of pieces over gRPC', async () => {
    const seller = newSeller();
    const task = await upload(seller, SHOP);
    await ended(seller, task);
    const token = await tokenOf(`seller:${seller}`);
    const path = `/v1/sellers/${seller}/feeds/main/loads/${task}/errors.xlsx`;
    const response = await fetch(host.run.httpUrl + path, { headers: { authorization: `Bearer ${token}` } });
    expect(response.headers.get('content-type')).toContain('spreadsheetml');
    const rows = await readSheet(Buffer.from(await response.arrayBuffer()));
    expect(rows).toHaveLength(8);
    expect(rows[0]).toEqual(['external_id', 'title', 'level', 'code', 'path', 'message', 'value', 'line']);
    const channel = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
    const name = { sellerId: seller, namespace: 'main' };
    const pieces = async (of: number, format: 'csv' | 'xlsx'): Promise<Buffer | string> => {
      const found: Uint8Array[] = [];
      for await (const piece of feedClient(channel).exportErrors(name, of, format)) {
        if (piece.isErr()) return piece.error.kind === 'Rejected' ? piece.error.reason : piece.error.kind;
        found.push(piece.value);
      }
      return Buffer.concat(found);
    };
    expect(await readSheet((await pieces(task, 'xlsx')) as Buffer)).toEqual(rows);
    expect((await pieces(task, 'csv')).toString('utf8').split('\r\n')).toHaveLength(9);
    expect(await pieces(99, 'csv')).toBe('LoadNotFound');
    channel.close();
  });
  test('[P1] [P12] a load is watched over gRPC and HTTP: its progress grows, and the stream ends with the load', async () => {
    const seller = newSeller();
    const ids = Array.from({ length: 1_200 }, (_, n) => `w${n}`);
    const task = await upload(seller, feedXml(...ids));
    const token = await tokenOf(`seller:${seller}`);
    const channel = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
    const watched = async (of: number) => {
      const seen: ToldLoadOverGrpc[] = [];
      for await (const one of feedClient(channel).watch({ sellerId: seller, namespace: 'main' }, of)) {
        if (one.isErr()) return one.error.kind === 'Rejected' ? one.error.reason : one.error.kind;
        seen.push(one.value);
      }
      return seen;
    };
    const seen = (await watched(task)) as ToldLoadOverGrpc[];
    expect(seen.at(-1)).toMatchObject({
      place: 'succeed',
      progress: { offersRead: 1_200, offersSent: 1_200, offersAnswered: 1_200 },
      statistics: { inserted: 1_200 },
    });
    for (const name of ['bytesRead', 'offersRead', 'offersSent', 'offersAnswered']) {
      const told = seen.map(({ progress }) => progress[name] ?? 0);
      expect(told, name).toEqual(told.toSorted((a, b) => a - b));
    }
    // A held load does not change until it is approved or rejected: the stream ends too.
    const held = await upload(seller, feedXml('w0'));
    expect(((await watched(held)) as ToldLoadOverGrpc[]).at(-1)!.place).toBe('held');
    expect(await watched(99)).toBe('LoadNotFound');
    channel.close();
    const response = await fetch(`${host.run.httpUrl}/v1/sellers/${seller}/feeds/main/loads/${task}:watch`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const lines = (await response.text()).trim().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ load: { place: 'LOAD_PLACE_SUCCEED' } });
  });
  test('[P12] diagnostics group errors by code and field and suggest a fix', async () => {
    const seller = newSeller();
    const bad = ['1', '2', '3']
      .map((id) => offerXml(id, 'Вещь').replace('bicycles', 'Летающие тарелки'))
      .join('');
    const task = await upload(seller, `<feed>${bad}</feed>`);
    await ended(seller, task);
    const { body } = await call(`seller:${seller}`, 'GET', `${seller}/feeds/main/loads/${task}:diagnose`);
    expect(body).toMatchObject({ diagnoses: [{ code: 'category', path: 'offer/category', count: '3' }] });
  });
  test('[P8] a parsed feed goes the same way, and the seller does not see it', async () => {
    const seller = newSeller();
    const offer = { title: 'Велосипед', category: 'bicycles', attributes: { 'bike-type': 'city' } };
    const file = JSON.stringify({
      profile: { contacts: { phone: '+7 900 000-00-01' } },
      offers: [offer, { title: 'Без всего' }],
    });
    const path = `${seller}/parsed-feeds/avito/loads`;
    expect((await call(`seller:${seller}`, 'POST', path, file)).status).toBe(403);
    expect((await call('service', 'POST', path, file)).status).toBe(200);
    await eventually(async () => expect(Object.values(await standing(seller))).toEqual(['active']));
    const hidden = `${seller}/feeds/parsed-avito/loads/1/errors`;
    await eventually(async () => {
      const { body } = await call('service', 'GET', hidden);
      expect((body as unknown as { errors: unknown[] }).errors.length).toBeGreaterThan(0);
    });
    expect((await call(`seller:${seller}`, 'GET', hidden)).status).toBe(403);
    expect((await call(`seller:${seller}`, 'GET', `${seller}/feeds`)).body).toEqual({ feeds: [] });
    expect(await call('service', 'GET', `${seller}/feeds`)).toMatchObject({
      body: { feeds: [{ namespace: 'parsed-avito' }] },
    });
  });
  const askParsed = (role: string, seller: string, url: string) =>
    call(role, 'POST', `${seller}/parsed-feeds/avito:load`, JSON.stringify({ url }), asJson);
  test('[P8] a parsed feed may come as a link: it is fetched once', async () => {
    const seller = newSeller();
    const offer = { title: 'Велосипед', category: 'bicycles', attributes: { 'bike-type': 'city' } };
    const file = { profile: { contacts: { phone: '+7 900 000-00-01' } }, offers: [offer] };
    page = { status: 200, body: JSON.stringify(file) };
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/parsed.json`;
    expect(await askParsed('service', seller, url)).toMatchObject({
      status: 200,
      body: { feed: { namespace: 'parsed-avito' } },
    });
    await eventually(async () => expect(Object.values(await standing(seller))).toEqual(['active']));
    const { body } = await call('service', 'GET', `${seller}/feeds/parsed-avito`);
    expect(body).toMatchObject({ newestLoad: { origin: 'parsed' } });
    expect(body).not.toHaveProperty('link');
  });
  test.each([
    ['a loopback address', 'http://127.0.0.2/f'],
    ['a private address', 'http://10.0.0.1/f'],
    ['a link-local address', 'http://[fe80::1]/f'],
    ['the address of cloud metadata', 'http://169.254.169.254/latest'],
    ['a redirect that leads inside', 'redirect'],
  ])('[P8] [P2] a parsed link to %s is not asked, and the service is told why', async (_name, given) => {
    const seller = newSeller();
    page = { status: 302, body: '', location: 'http://169.254.169.254/latest' };
    const url = given === 'redirect' ? `http://127.0.0.1:${(web.address() as AddressInfo).port}/` : given;
    expect((await askParsed('service', seller, url)).status).toBe(200);
    const link = await eventually(async () => {
      const { body } = await call('service', 'GET', `${seller}/feeds/parsed-avito`);
      const told = (body as unknown as { link: { lastError: string; nextAttemptAtMs: string } }).link;
      expect(told.lastError).not.toBe('');
      return told;
    });
    expect(link.lastError).toMatch(/not a public address|could not be downloaded: BadUrl/);
    expect(link.nextAttemptAtMs).toBe('0');
  });
});

describe('who may call what', () => {
  const methods = [
    ['GET', 'feeds'],
    ['GET', 'feeds/main'],
    ['PUT', 'feeds/main'],
    ['POST', 'feeds/main:remove'],
    ['POST', 'feeds/main:fetch'],
    ['POST', 'feeds/main/loads'],
    ['GET', 'feeds/main/loads'],
    ['GET', 'feeds/main/loads/1'],
    ['GET', 'feeds/main/loads/1:watch'],
    ['GET', 'feeds/main/loads/1/errors'],
    ['GET', 'feeds/main/loads/1/errors.csv'],
    ['GET', 'feeds/main/loads/1:diagnose'],
    ['GET', 'feeds/main/photo-errors'],
    ['POST', 'feeds/main/loads/1:approve'],
    ['POST', 'feeds/main/loads/1:reject'],
    ['POST', 'feeds:erase'],
    ['POST', 'parsed-feeds/avito:load'],
    ['POST', 'parsed-feeds/avito/loads'],
  ] as const;
  const roles = [
    'seller:owner',
    'seller:stranger',
    'service',
    'operator',
    'anonymous:a',
    'publisher:x',
  ] as const;
  const isAllowed = (role: string, path: string): boolean => {
    if (path.startsWith('parsed-feeds/')) return role === 'service';
    return role === 'service' || role === 'operator' || (role === 'seller:owner' && path !== 'feeds:erase');
  };
  test.each(methods.flatMap(([method, path]) => roles.map((role) => [role, method, path] as const)))(
    '[P1] %s calls %s %s',
    async (role, method, path) => {
      const body = method === 'GET' ? undefined : '{}';
      const { status } = await call(role, method, `owner/${path}`, body, method === 'GET' ? {} : asJson);
      if (isAllowed(role, path)) expect(status).not.toBe(403);
      else expect(status).toBe(403);
    },
  );
});

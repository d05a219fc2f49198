import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  brokenOperations,
  operationShapes,
  type OpenApiDocument,
  type Operation,
  type OperationShapes,
} from '@doska/adapters-http';
import { contractExamples } from '@doska/adapters-proto/descriptors';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { apps } from './apps.ts';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';
import { differences, renamedIn } from './testing/same-shape.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
let platform: RunningPlatform;
let document: OpenApiDocument;

beforeAll(async () => {
  platform = await runningPlatform('openapi', await freshDatabase());
  document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as OpenApiDocument;
});
afterAll(async () => platform?.stop());

type Found = { readonly path: string; readonly verb: string; readonly operation: Operation };
const operations = (): readonly Found[] =>
  Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb: verb.toUpperCase(), operation })),
  );

test('[H6] the document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});
test('[H6] every operation has an id of its own, words, its access, its errors and an example', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { operation } of operations()) {
    expect(operation.summary, operation.operationId).not.toBe('');
    expect(operation.description, operation.operationId).toMatch(/Access: /);
    expect(Object.keys(operation.responses), operation.operationId).toEqual(
      expect.arrayContaining(['200', '400', '500', '503']),
    );
  }
  for (const { operation, path } of operations().filter(({ path }) => path.startsWith('/v1/'))) {
    const [content] = Object.values(operation.responses['200']!.content!);
    expect(content, path).toHaveProperty('example');
  }
});
test('[H6] every route that an app writes by hand is in the document', () => {
  const written = apps.flatMap((app) => [
    ...(app.http?.(platform.host.container) ?? []),
    ...(app.hot?.(platform.host.container) ?? []).flatMap(({ serves = [] }) => serves),
  ]);
  const ids = new Set(operations().map(({ operation }) => operation.operationId));
  for (const { method, path, docs } of written)
    expect(docs && ids.has(docs.id), `${method} ${path} has no docs`).toBe(true);
  for (const id of ['getPhoto', 'getHealth', 'getReadiness', 'getMetrics', 'getOpenApi'])
    expect(ids).toContain(id);
});
test('[H6] a path, parameter or answer that clients use is neither changed nor removed', () => {
  const base = JSON.parse(readFileSync(join(ROOT, 'proto/openapi.base.json'), 'utf8')) as OperationShapes;
  const broken = brokenOperations(base, operationShapes(document));
  expect(broken, 'a release accepts it with: npm run openapi -- --accept').toEqual([]);
});

/** A request made of the examples in the document. */
const requestOf = ({ path, verb, operation }: Found, renamed: ReadonlyMap<string, string>) => {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: where, example } of operation.parameters ?? []) {
    if (example === undefined) continue;
    const values = [renamedIn(example, renamed)].flat().map(String);
    if (where === 'path') target = target.replace(`{${name}}`, encodeURIComponent(values[0]!));
    else for (const value of values) query.append(name, value);
  }
  const body = operation.requestBody?.content['application/json']?.example;
  return {
    url: `${platform.url}${target}${query.size > 0 ? `?${query.toString()}` : ''}`,
    method: verb,
    ...(body === undefined ? {} : { body: JSON.stringify(renamedIn(body, renamed)) }),
  };
};
const idOf = (method: string): string => method.split('.').at(-1)!.replace('/', '_');

test('[H6] every example of a contract works as it stands in the document, one after another', async () => {
  const renamed = new Map<string, string>();
  const told = operations().filter(({ path }) => path.startsWith('/v1/'));
  const done = new Set<string>();
  for (const [method, { as }] of Object.entries(contractExamples)) {
    const found = told.filter(({ operation }) => operation.operationId.replace(/_2$/, '') === idOf(method));
    expect(found, method).not.toEqual([]);
    for (const one of found) {
      const { url, ...init } = requestOf(one, renamed);
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (as !== undefined) headers['authorization'] = `Bearer ${await platform.tokenOf(as)}`;
      const [type, { example }] = Object.entries(one.operation.responses['200']!.content!)[0]!;
      // A topic gets its records a moment later.
      await eventually(async () => {
        const answer = await fetch(url, { ...init, headers });
        const text = await answer.text();
        expect(answer.status, `${method}: ${text.slice(0, 300)}`).toBe(200);
        expect(answer.headers.get('content-type')).toContain(type);
        expect(
          differences(example as never, JSON.parse(text.split('\n')[0]!) as never, renamed),
          method,
        ).toEqual([]);
      });
      done.add(one.operation.operationId);
    }
  }
  // A method without an example of its own shows a sample of its types. It must at least be understood.
  for (const one of told.filter(({ operation }) => !done.has(operation.operationId))) {
    const { url, ...init } = requestOf(one, renamed);
    const authorization = `Bearer ${await platform.tokenOf('operator')}`;
    const answer = await fetch(url, {
      ...init,
      headers: { 'content-type': 'application/json', authorization },
    });
    expect(answer.status, `${one.operation.operationId}: ${await answer.text()}`).toBeLessThan(500);
  }
});
test('[H6] examples of hand-written routes are answered as the document says', async () => {
  const authorization = `Bearer ${await platform.tokenOf('operator')}`;
  for (const one of operations().filter(({ path, verb }) => !path.startsWith('/v1/') && verb === 'GET')) {
    const { url, ...init } = requestOf(one, new Map());
    const answer = await fetch(url, { ...init, headers: { authorization } });
    expect(Object.keys(one.operation.responses), one.path).toContain(String(answer.status));
    expect(answer.status, one.path).toBeLessThan(500);
  }
});

const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
const [baseUrl, token] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: \`Bearer \${token}\` } });
const current = await api.POST('/v1/drafts:current', { body: { categoryId: 'rodents' } });
const draft_id: string = current.data!.draft!.id!;
await api.PUT('/v1/drafts/{draft_id}', {
  params: { path: { draft_id } },
  body: { categoryId: 'rodents', text: { title: 'Mouse', price: { minorUnits: '100', currency: 'RUB' }, contacts: { phone: '+7 900 000-00-00' } } },
});
const { data } = await api.POST('/v1/drafts/{draft_id}:publish', { params: { path: { draft_id } }, body: {} });
const version: string = data!.offer!.version;
const list = await api.GET('/v1/me/offers', { params: { query: { preset: 'PRESET_ACTIVE', pageSize: 1 } } });
const missing = await api.GET('/v1/offers/{offer_id}', { params: { path: { offer_id: '0' } } });
console.log(version, list.data!.offers[0]!.view!.title, missing.error!.kind);
// @ts-expect-error a parameter that does not exist
await api.GET('/v1/me/offers', { params: { query: { nothing: 1 } } });
`;
test('[H6] a client generated from the document compiles and works', { timeout: 120_000 }, async () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  // Inside the project, so that the client finds its library.
  const folder = mkdtempSync(join(ROOT, '.cache/client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(structuredClone(document) as never)));
  writeFileSync(join(folder, 'client.ts'), CLIENT);
  const options = ['--strict', '--noUncheckedIndexedAccess', '--target', 'es2022', '--module', 'nodenext'];
  const tsc = [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...options,
    '--ignoreConfig',
    '--skipLibCheck',
    'client.ts',
  ];
  // Not in this process's time: the platform runs in it.
  await run(process.execPath, [...tsc, '--types', 'node'], { cwd: folder });
  const token = await platform.tokenOf('seller:client');
  const { stdout } = await run(process.execPath, ['client.js', platform.url, token], {
    cwd: folder,
    timeout: 60_000,
  });
  expect(stdout.trim()).toMatch(/^1 Mouse \w+$/);
});

test('[H6] /api/ shows the document in the browser, with nothing from other places', async () => {
  const get = (path: string) => fetch(`${platform.url}${path}`, { redirect: 'manual' });
  expect((await get('/api')).headers.get('location')).toBe('/api/');
  const page = await get('/api/');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  const text = await page.text();
  const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThanOrEqual(3);
  for (const link of links) expect((await get(`/api/${link}`)).status, link).toBe(200);
  expect(await (await get('/api/page.js')).text()).toContain("'../openapi.json'");
  expect(text).not.toMatch(/https?:\/\//);
});
test('[H6] the document is kept by browsers and asked for again by its tag', async () => {
  const first = await fetch(`${platform.url}/openapi.json`);
  expect(first.headers.get('content-encoding')).toBe('gzip');
  const again = await fetch(`${platform.url}/openapi.json`, {
    headers: { 'if-none-match': first.headers.get('etag')! },
  });
  expect(again.status).toBe(304);
});

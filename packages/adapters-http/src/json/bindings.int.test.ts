import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { routeProblems } from './route-problems.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const stages = 'proto/doska/gost/v1/stage_service.proto';
const grpcOnly = JSON.parse(readFileSync(join(root, 'proto/grpc-only.json'), 'utf8')) as Record<
  string,
  string
>;
let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'doska-routes-'));
  for (const name of ['proto', 'buf.yaml']) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** The problems of our contracts with one line of the stage service changed. */
const problemsWith = (from: string, to: string): readonly string[] => {
  const before = readFileSync(join(copy, stages), 'utf8');
  expect(before).toContain(from);
  writeFileSync(join(copy, stages), before.replace(from, to));
  const set = join(copy, 'set.binpb');
  const args = ['build', '--as-file-descriptor-set', '--output', set];
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@bufbuild/buf/bin/buf'), ...args],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, BUF_CACHE_DIR: join(copy, '.buf') } },
  );
  expect([status, stderr]).toEqual([0, '']);
  return routeProblems(readFileSync(set), grpcOnly);
};
const GET = 'option (google.api.http).get = "/v1/offers/{offer_id}/stages/{stage}";';
const route = (path: string): string => `option (google.api.http).get = "${path}";`;

test('[H1] every public method has a route, or a reason why it has none', () => {
  expect(routeProblems(descriptorSet, grpcOnly)).toEqual([]);
  expect([...routeProblems(descriptorSet, {})].sort()).toEqual(
    Object.keys(grpcOnly)
      .map((method) => `${method} has no route, and no reason why it is gRPC only`)
      .sort(),
  );
  expect(routeProblems(descriptorSet, { ...grpcOnly, 'a.B/C': 'gone' })).toEqual([
    'a.B/C is listed as gRPC only, but there is no such method',
  ]);
});

test.each([
  { name: 'a method without a route', to: '', says: 'GetStage has no route' },
  { name: 'a path in a variable', to: route('/v1/{offer_id=offers/*}'), says: 'unsupported segment' },
  { name: 'a star', to: route('/v1/offers/*'), says: 'unsupported segment "*"' },
  { name: 'a field of a field', to: route('/v1/offers/{offer.id}'), says: 'unsupported segment' },
  { name: 'a path that is relative', to: route('v1/stages'), says: 'does not begin with /' },
  { name: 'a variable twice', to: route('/v1/{stage}/{stage}'), says: 'names stage twice' },
  { name: 'an unknown variable', to: route('/v1/stages/{name}'), says: 'names name, which' },
  { name: 'an odd verb', to: route('/v1/stages:a-b'), says: 'unsupported verb' },
  {
    name: 'a pattern of another kind',
    to: 'option (google.api.http) = { custom: { kind: "LOOK", path: "/v1/stages" } };',
    says: 'a pattern that is not supported',
  },
  {
    name: 'a body where there is none',
    to: 'option (google.api.http) = { get: "/v1/stages/{stage}", body: "*" };',
    says: 'get has a body',
  },
  {
    name: 'a body that is no field',
    to: 'option (google.api.http) = { post: "/v1/stages/{stage}", body: "nothing" };',
    says: 'the body nothing is not a field',
  },
  { name: 'a route that is taken', to: route('/v1/offers/{offer_id}'), says: 'OfferService/GetOffer' },
  { name: 'a word where another has a variable', to: route('/v1/offers/all'), says: 'collide' },
  {
    name: 'a second route that is taken',
    to: 'option (google.api.http) = { get: "/v1/stages/{stage}", additional_bindings: { get: "/v1/me/offers" } };',
    says: 'collide',
  },
])('[H1] the build refuses $name', ({ to, says }) => {
  expect(problemsWith(GET, to)).toEqual([expect.stringContaining(says)]);
});
test('[H1] a verb makes another route of a path', () => {
  expect(problemsWith(GET, route('/v1/offers/{offer_id}:stage'))).toEqual([]);
});

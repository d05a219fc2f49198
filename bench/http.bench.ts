import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { grpcServer } from '@doska/adapters-grpc';
import { httpServer } from '@doska/adapters-http';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { OfferStatus } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import {
  CabinetServiceDefinition,
  GetOfferRequest,
  GetOfferResponse,
  ListOffersRequest,
  OfferServiceDefinition,
  type Offer,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { makeCallKit, rpcService, type RpcService, type ServiceDefinition } from '@doska/adapters-rpc';
import { silentTelemetry, type Clock } from '@doska/core/kernel';
import express from 'express';
import { ok, okAsync } from 'neverthrow';
import { runBench, type Measured } from './harness.ts';
import { toolPath } from './tools.ts';

/** Services as JSON: one offer and a page of 20, against a bare Express route with the same answer, and against gRPC. */
const SECONDS = 3;
const PAGE = 20;
const TOKEN = 'bench';
const run = promisify(execFile);
const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

const offer = (n: number): Offer => ({
  view: {
    ...GetOfferResponse.fromPartial({ offer: { view: {} } }).offer!.view!,
    id: `8RJZFJ2NR8B${String(n).padStart(2, '0')}`,
    sellerId: 'ann',
    status: OfferStatus.OFFER_STATUS_ACTIVE,
    categoryId: 'rodents',
    title: 'Хомяк с клеткой',
    description: 'Ручной, ест с ладони. '.repeat(25),
    price: { minorUnits: 50_000n, currency: 'RUB' },
    place: { address: 'Казань, метро Площадь Тукая', point: undefined },
    createdAtUs: 1_794_989_216_547_000n,
    updatedAtUs: 1_794_989_216_547_000n,
    version: 1n,
    catalogVersion: 1n,
  },
  contacts: { name: 'Ann', phone: '+7 900 000-00-00', email: undefined },
  banEditable: false,
  archivedAtUs: undefined,
});
const one = { offer: offer(0) };
const page = { offers: Array.from({ length: PAGE }, (_, n) => offer(n)), nextPageToken: '' };

/** A service whose other methods are never called. */
const service = (definition: ServiceDefinition, handlers: Record<string, unknown>): RpcService => {
  const keys = Object.keys(definition.methods);
  const each = (value: unknown) => Object.fromEntries(keys.map((key) => [key, value]));
  return rpcService({
    definition,
    handlers: { ...each(async () => ok({})), ...handlers } as never,
    access: each({ roles: ['operator'] }) as never,
  });
};
const services = [
  service(OfferServiceDefinition, { getOffer: async () => ok(one) }),
  service(CabinetServiceDefinition, { listOffers: async () => ok(page) }),
];
const shared = {
  listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
  clock,
  ids: { next: randomUUID },
  telemetry: silentTelemetry,
  authenticator: {
    authenticate: () => okAsync({ subject: 'bench', roles: [{ name: 'operator' as const }] }),
  },
} as const;
const calls = makeCallKit(shared);
const http = (
  await httpServer({ ...shared, calls, routes: [], json: { services, descriptorSet } })
)._unsafeUnwrap();
const grpc = (await grpcServer({ ...shared, calls, services }))._unsafeUnwrap();

const GET = '/v1/offers/8RJZFJ2NR8B00';
const LIST = '/v1/sellers/ann/offers?pageSize=20';
const asked = async (port: number, path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
};
const oneJson = JSON.parse(await asked(http.port, GET)) as object;
const pageJson = JSON.parse(await asked(http.port, LIST)) as object;
const bare = express();
bare.get('/v1/offers/:id', (_request, response) => void response.json(oneJson));
bare.get('/v1/sellers/:id/offers', (_request, response) => void response.json(pageJson));
const bareServer = bare.listen(0, '127.0.0.1');
await new Promise((resolve) => bareServer.once('listening', resolve));
const barePort = (bareServer.address() as AddressInfo).port;
for (const path of [GET, LIST])
  if ((await asked(barePort, path)) !== (await asked(http.port, path)))
    throw new Error(`${path}: the answers differ`);

const h2load = async (args: readonly string[]): Promise<Measured> => {
  const { stdout } = await run(toolPath('h2load'), [
    '-t',
    '1',
    '-D',
    String(SECONDS),
    '-H',
    `authorization: Bearer ${TOKEN}`,
    ...args,
  ]);
  const numbers = /requests: .* ([0-9]+) succeeded, ([0-9]+) failed, ([0-9]+) errored/.exec(stdout);
  const rate = /finished in [^,]+, ([0-9.]+) req\/s/.exec(stdout)?.[1];
  if (!numbers || !rate || numbers[2] !== '0' || numbers[3] !== '0')
    throw new Error(`h2load did not get its answers:\n${stdout}`);
  return { value: Number(rate) };
};
const json = (port: number, path: string): Promise<Measured> =>
  h2load(['--h1', '-c', '64', `http://127.0.0.1:${port}${path}`]);
const folder = mkdtempSync(join(tmpdir(), 'doska-http-bench-'));
const rpc = (path: string, message: Uint8Array): Promise<Measured> => {
  // As it stands on the wire: not compressed, its length, the message.
  const length = Buffer.alloc(5);
  length.writeUInt32BE(message.length, 1);
  const file = join(folder, 'request.bin');
  writeFileSync(file, Buffer.concat([length, message]));
  const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
  return h2load(['-c', '4', '-m', '16', '-d', file, ...headers, `http://127.0.0.1:${grpc.port}${path}`]);
};

await runBench({
  name: 'http',
  unit: 'requests/s',
  ratios: [
    { name: 'json_get', subject: 'json_one', baseline: 'express_one', goal: 0.6 },
    { name: 'json_list', subject: 'json_page', baseline: 'express_page', goal: 0.6 },
    { name: 'json_vs_grpc', subject: 'json_one', baseline: 'grpc_one' },
    { name: 'json_list_vs_grpc', subject: 'json_page', baseline: 'grpc_page' },
  ],
  variants: [
    { name: 'json_one', run: () => json(http.port, GET) },
    { name: 'json_page', run: () => json(http.port, LIST) },
    { name: 'express_one', run: () => json(barePort, GET) },
    { name: 'express_page', run: () => json(barePort, LIST) },
    {
      name: 'grpc_one',
      run: () =>
        rpc(
          `/${OfferServiceDefinition.fullName}/GetOffer`,
          GetOfferRequest.encode({ offerId: '8RJZFJ2NR8B00' }).finish(),
        ),
    },
    {
      name: 'grpc_page',
      run: () =>
        rpc(
          `/${CabinetServiceDefinition.fullName}/ListOffers`,
          ListOffersRequest.encode({ sellerId: 'ann', preset: 0, pageSize: PAGE, pageToken: '' }).finish(),
        ),
    },
  ],
});
rmSync(folder, { recursive: true });
bareServer.close();
await Promise.all([http.stop(500), grpc.stop(500)]);

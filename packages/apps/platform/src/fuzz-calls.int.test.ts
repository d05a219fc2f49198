import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFileRegistry,
  fromBinary,
  ScalarType,
  type DescField,
  type DescMessage,
  type DescMethod,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { GostTokens } from '@doska/app-wiring/gost';
import { publication, sampleSeller } from '@doska/core/gost/testing';
import { parseRole } from '@doska/core/kernel';
import { eventually, seededRandom, type SeededRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apps } from './apps.ts';

/** `DOSKA_FUZZ_CALLS` asks for more calls, `DOSKA_FUZZ_SEED` for others. */
const CALLS = Number(process.env['DOSKA_FUZZ_CALLS'] ?? (process.env['DOSKA_TEST_LONG'] ? 200_000 : 8_000));
const SEED = Number(process.env['DOSKA_FUZZ_SEED'] ?? 15);
const AT_ONCE = 64;

let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-fuzz-'));
const seller = sampleSeller(1);
const ids: string[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '0',
    DOSKA_CATALOG_RATE_PER_MINUTE: '1000000',
    DOSKA_GOST_SESSIONS_PER_MINUTE: '1000000',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  host = (await startHost('fuzz', apps, config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
  const changes = Array.from({ length: 20 }, (_, n) =>
    publication(n + 1, { seller, nowUs: Date.now() * 1_000 }),
  );
  for (const change of changes) {
    (await host.container.get(GostTokens.stores).offers.commit([{ changes: [change] }]))._unsafeUnwrap();
    ids.push(change.offer.id);
  }
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const TEXTS = [
  '',
  ' ',
  '\u200b',
  '\0',
  'a\0b',
  'a\nb',
  '\u202e',
  '\ufeff',
  '😀'.repeat(40),
  'x'.repeat(3_000),
  'я'.repeat(300),
  'rodents',
  'animals',
  'RUB',
  'gost-offer-updates',
  'photo-requests',
  'constructor',
  '__proto__',
  '../..',
  "'; --",
  'https://a.example/1.jpg',
  'ann@example.com',
  '+7 900 000-00-00',
  'Хомяк с клеткой',
  'price-check',
];
const BIG = [
  0n,
  1n,
  2n,
  7n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 64n - 1n,
];
const SMALL = [0, 1, 2, 3, 20, 200, 201, 5_000, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const FLOATS = [0, -0, 1.5, -91, 181, 1e308, -1e308, Infinity, -Infinity, NaN, 5e-324];

const pick = <T>(random: SeededRandom, from: readonly T[]): T => from[random.below(from.length)]!;
const noise = (random: SeededRandom, most: number): Uint8Array =>
  Uint8Array.from({ length: random.below(most) }, () => random.below(256));

const writeScalar = (
  writer: BinaryWriter,
  { number, name }: DescField,
  scalar: ScalarType,
  random: SeededRandom,
): void => {
  const varint = (): BinaryWriter => writer.tag(number, WireType.Varint);
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- all other kinds are 64-bit numbers
  switch (scalar) {
    case ScalarType.STRING: {
      const text = name.includes('offer_id') && random.chance(0.8) ? pick(random, ids) : pick(random, TEXTS);
      writer.tag(number, WireType.LengthDelimited);
      if (name === 'seller_id' && random.chance(0.6)) writer.string(pick(random, [seller, '']));
      else if (random.chance(0.02)) writer.bytes(noise(random, 20));
      else if (random.chance(0.002)) writer.string('я'.repeat(70_000));
      else writer.string(text);
      return;
    }
    case ScalarType.BYTES:
      return void writer.tag(number, WireType.LengthDelimited).bytes(noise(random, 100));
    case ScalarType.BOOL:
      return void varint().bool(random.chance(0.5));
    case ScalarType.DOUBLE:
      return void writer.tag(number, WireType.Bit64).double(pick(random, FLOATS));
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return void varint().uint32(pick(random, SMALL));
    default:
      return void varint().uint64(pick(random, BIG));
  }
};
const writeField = (writer: BinaryWriter, field: DescField, random: SeededRandom, depth: number): void => {
  const message = field.message;
  if (message) {
    if (depth < 8)
      writer.tag(field.number, WireType.LengthDelimited).bytes(messageOf(message, random, depth + 1));
  } else if (field.enum)
    writer.tag(field.number, WireType.Varint).int32(pick(random, [0, 1, 2, 3, 4, 5, 99, -1]));
  else if (field.scalar !== undefined) writeScalar(writer, field, field.scalar, random);
};
/** A message of the type, with values that stand at the bounds of what is allowed, or beyond. */
const messageOf = (type: DescMessage, random: SeededRandom, depth = 0): Uint8Array => {
  const writer = new BinaryWriter();
  for (const field of type.fields) {
    if (random.chance(0.15)) continue;
    const times = field.fieldKind === 'list' ? pick(random, [0, 1, 2, 3, 40]) : 1;
    for (let i = 0; i < (depth > 2 ? Math.min(times, 3) : times); i++)
      writeField(writer, field, random, depth);
  }
  return writer.finish();
};
const mutated = (bytes: Uint8Array, random: SeededRandom): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  for (let i = 0; i <= random.below(4) && copy.length > 0; i++)
    copy[random.below(copy.length)] = random.below(256);
  return random.chance(0.3) ? copy.subarray(0, random.below(copy.length + 1)) : copy;
};
const requestOf = ({ input }: DescMethod, random: SeededRandom): Uint8Array => {
  if (random.chance(0.05)) return noise(random, 60);
  const bytes = messageOf(input, random);
  return random.chance(0.25) ? mutated(bytes, random) : bytes;
};

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
const methods: DescMethod[] = [...registry].flatMap((one) => (one.kind === 'service' ? one.methods : []));
const ROLES = [
  undefined,
  ['service'],
  ['operator'],
  ['service', 'operator'],
  [`seller:${seller}`],
  ['seller:s\u0000x'],
  ['anonymous:visitor'],
  ['publisher:x'],
  [`seller:${'y'.repeat(500)}`],
  ['seller:other', 'anonymous:a\u200b'],
];
const tokenOf = async (roles: readonly string[] | undefined): Promise<string | undefined> => {
  if (!roles) return undefined;
  const parsed = roles.map((role) => parseRole(role)._unsafeUnwrap());
  const token = await host.container.get(Tokens.issueToken)({
    subject: 'fuzz',
    ttlSec: 6_000,
    roles: parsed,
  });
  return token.unwrapOr(undefined as never);
};
const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

/** The status of one call. A stream is read for a while and then cancelled. */
const statusOf = (client: Client, method: DescMethod, requests: readonly Uint8Array[], metadata: Metadata) =>
  new Promise<number>((resolve) => {
    const path = `/${method.parent.typeName}/${method.name}`;
    const deadline = Date.now() + 20_000;
    const done = (error: { readonly code: number } | null): void => resolve(error?.code ?? status.OK);
    if (method.methodKind === 'unary')
      return void client.makeUnaryRequest(path, asIs, asIs, requests[0]!, metadata, { deadline }, done);
    if (method.methodKind === 'client_streaming') {
      const call = client.makeClientStreamRequest(path, asIs, asIs, metadata, { deadline }, done);
      for (const request of requests) call.write(request);
      return void call.end();
    }
    const call = client.makeServerStreamRequest(path, asIs, asIs, requests[0]!, metadata, { deadline });
    let answers = 0;
    call.on('data', () => ++answers > 5 && call.cancel());
    call.on('error', done);
    call.on('end', () => resolve(status.OK));
  });

test(`[X5] ${CALLS} random calls of every method under ${ROLES.length} kinds of token: no INTERNAL, no UNKNOWN`, async () => {
  const random = seededRandom(SEED);
  const tokens = await Promise.all(ROLES.map(tokenOf));
  const clients = Array.from(
    { length: 4 },
    (_, i) => new Client(host.run.grpcAddress, credentials.createInsecure(), { 'grpc.channelId': i }),
  );
  const counts = new Map<string, number>();
  const broken: string[] = [];
  let left = CALLS;
  const callOn = async (client: Client): Promise<void> => {
    while (left-- > 0) {
      const method = pick(random, methods);
      const requests = Array.from({ length: 1 + random.below(3) }, () => requestOf(method, random));
      const metadata = new Metadata();
      const token = pick(random, tokens);
      if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
      const code = await statusOf(client, method, requests, metadata);
      const name = status[code] ?? String(code);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (name === 'INTERNAL' || name === 'UNKNOWN')
        broken.push(`${name} ${method.name} ${Buffer.from(requests[0]!.subarray(0, 300)).toString('hex')}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => callOn(clients[i % clients.length]!)));
  for (const client of clients) client.close();
  console.log(Object.fromEntries(counts));
  expect(broken.slice(0, 20)).toEqual([]);
  expect(counts.get('OK')).toBeGreaterThan(CALLS / 100);
  expect(counts.get('INVALID_ARGUMENT')).toBeGreaterThan(CALLS / 20);
  expect((await fetch(`${host.run.httpUrl}/healthz`)).status).toBe(200);
}, 600_000);

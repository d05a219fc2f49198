import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grpcChannel, type GrpcChannel } from '../client/grpc-channel.ts';
import { operationsClient } from '../operations/operations-client.ts';
import { operationsService } from '../operations/operations-service.ts';
import type { PlatformStatus } from '../operations/platform-status.ts';
import { bytesOf, type MessageType } from '@doska/adapters-rpc';
import { realClock } from '@doska/core/kernel/testing';
import { running, type Running } from '../testing/echo.ts';

const status: PlatformStatus = {
  platform: {
    version: '0.1.0',
    profile: 'embedded',
    startedAtMs: 1_700_000_000_123,
    members: ['m-1', 'm-2'],
  },
  workers: [
    { name: 'log-pruner', app: 'platform', state: 'running', restarts: 0, sinceMs: 5 },
    {
      name: 'exporter',
      app: 'gost-scheduler',
      state: 'restarting',
      restarts: 3,
      lastError: 'ECONNREFUSED',
      sinceMs: 6,
    },
  ],
  lags: [
    {
      group: 'g',
      topic: 't',
      partition: 7,
      committed: 5,
      head: 9_007_199_254_740_991,
      lag: 3,
      oldestUnreadAgeMs: 1_500,
    },
  ],
  leases: [
    { set: 's', shard: 3, owner: 'm-1', token: 42, expiresAtMs: 77 },
    { set: 's', shard: 4, token: 0 },
  ],
  jobs: [
    { name: 'prune', lastRunAtMs: 1, lastResult: 'failed', lastError: 'x', nextRunAtMs: 2 },
    { name: 'new' },
  ],
  processes: [
    {
      id: 'm-1',
      apps: ['gost-api', 'photos'],
      version: '0.1.0',
      host: 'h',
      pid: 7,
      startedAtMs: 1,
      heartbeatAtMs: 2,
      isMissing: true,
      workers: [{ name: 'exporter', app: 'gost-scheduler', state: 'failed', restarts: 8, sinceMs: 6 }],
    },
  ],
  troubles: ['The database is away.'],
};
let server: Running;
let cache: string;
beforeAll(async () => {
  cache = mkdtempSync(join(tmpdir(), 'doska-buf-'));
  server = await running([operationsService({ status: async () => status }, async function* () {})], {
    reflection: { descriptorSet },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(cache, { recursive: true, force: true });
});

const buf = async (...args: string[]): Promise<{ code: number | null; out: string; err: string }> => {
  const launcher = fileURLToPath(new URL('../../../../node_modules/@bufbuild/buf/bin/buf', import.meta.url));
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: cache,
    env: { ...process.env, BUF_CACHE_DIR: cache },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out, err };
};
const curl = (protocol: string, token: string) =>
  buf(
    'curl',
    '--http2-prior-knowledge',
    '--protocol',
    'grpc',
    '--reflect',
    '--reflect-protocol',
    protocol,
    '--reflect-header',
    `authorization: Bearer ${token}`,
    '--header',
    `authorization: Bearer ${token}`,
    `http://127.0.0.1:${server.server.port}/doska.operations.v1.OperationsService/GetStatus`,
  );

test.each(['grpc-v1', 'grpc-v1alpha'])(
  '[B16] buf curl finds and calls a method by reflection (%s)',
  async (protocol) => {
    const { code, out, err } = await curl(protocol, 'operator');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      platform: { version: '0.1.0', startedAt: '2023-11-14T22:13:20.123Z' },
      workers: [
        { state: 'WORKER_STATE_RUNNING' },
        { state: 'WORKER_STATE_RESTARTING', lastError: 'ECONNREFUSED' },
      ],
      lags: [{ head: '9007199254740991' }],
    });
  },
);

test('[B17] reflection is for operators unless it is opened', async () => {
  const { code, err } = await curl('grpc-v1', 'seller');
  expect(code).not.toBe(0);
  expect(err).toContain('failed to find service');
  expect(server.lines.at(-1)).toMatchObject({
    method: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    code: 'PERMISSION_DENIED',
  });
});

test('[B17] reflection that was opened needs no token', async () => {
  const access = { public: { ratePerMinute: 100 } };
  const open = await running([operationsService({ status: async () => status }, async function* () {})], {
    reflection: { descriptorSet, access },
  });
  const { code, out } = await buf(
    'curl',
    '--http2-prior-knowledge',
    '--protocol',
    'grpc',
    '--list-services',
    `http://127.0.0.1:${open.server.port}`,
  );
  expect({ code, out: out.trim() }).toEqual({ code: 0, out: 'doska.operations.v1.OperationsService' });
  await open.close();
});

/** A reflection client of its own: bytes out, bytes back. */
const bytes: MessageType<Uint8Array> = {
  encode: (message) => ({ finish: () => message }),
  decode: (raw) => Uint8Array.from(bytesOf(raw)),
};
const alpha = {
  fullName: 'grpc.reflection.v1alpha.ServerReflection',
  methods: {
    info: {
      name: 'ServerReflectionInfo',
      requestType: bytes,
      requestStream: true,
      responseType: bytes,
      responseStream: true,
    },
  },
} as const;
const ask = async (channel: GrpcChannel, ...questions: Uint8Array[]): Promise<Map<number, Uint8Array>[]> => {
  async function* asked(): AsyncIterable<Uint8Array> {
    yield* questions;
  }
  const answers: Map<number, Uint8Array>[] = [];
  for await (const answer of channel.client(alpha).info(asked())) {
    const reader = new BinaryReader(answer._unsafeUnwrap());
    const fields = new Map<number, Uint8Array>();
    while (reader.pos < reader.len) fields.set(reader.tag()[0], reader.bytes());
    answers.push(fields);
  }
  return answers;
};
const question = (field: number, text: string): Uint8Array =>
  new BinaryWriter()
    .uint32((field << 3) | 2)
    .string(text)
    .finish();

test('[B16] v1alpha over the wire: services, a file with its imports once, and what is not there', async () => {
  const [services, file, again, timestamp, missing, nothing] = await ask(
    server.channel,
    question(7, ''),
    question(4, 'doska.operations.v1.OperationsService.GetStatus'),
    question(4, 'doska.operations.v1.Worker'),
    question(3, 'google/protobuf/timestamp.proto'),
    question(4, 'doska.Nothing'),
    new Uint8Array(),
  );
  const text = (raw: Uint8Array | undefined): string => Buffer.from(raw ?? []).toString();
  expect(text(services?.get(6))).toContain('doska.operations.v1.OperationsService');
  expect(text(file?.get(4))).toContain('google/protobuf/timestamp.proto');
  expect(text(file?.get(4))).toContain('Timestamp');
  expect(again?.get(4)!.length).toBeLessThan(file?.get(4)!.length ?? 0);
  expect(text(timestamp?.get(4))).toContain('Timestamp');
  expect(text(missing?.get(7))).toContain('doska.Nothing');
  expect(nothing?.has(7)).toBe(true);
});

test('[B19] the status comes back as it was, over the wire', async () => {
  expect(await operationsClient(server.channel).status()).toEqual(ok(status));
});

test('[B17] the status is not for sellers', async () => {
  const channel = grpcChannel({
    target: `127.0.0.1:${server.server.port}`,
    clock: realClock,
    token: 'seller',
  });
  const refused = (await operationsClient(channel).status())._unsafeUnwrapErr();
  expect(refused).toEqual({ kind: 'PermissionDenied', needs: ['operator', 'service'] });
  channel.close();
});

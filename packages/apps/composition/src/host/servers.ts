import { grpcServer, type GrpcServer } from '@doska/adapters-grpc';
import { httpServer, notReady, type HttpServer } from '@doska/adapters-http';
import { makeCallKit } from '@doska/adapters-rpc';
import { contractComments, contractExamples, descriptorSet } from '@doska/adapters-proto/descriptors';
import { guard } from '@doska/adapters-pg';
import type { Access } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import type { Config } from '../config/config.ts';
import { listed } from '../config/setting.ts';
import { Tokens } from '../tokens.ts';
import type { Assembly } from './assembly.ts';
import { apiPage } from './api-page.ts';
import { followReadiness } from './grpc-health.ts';
import { startProblem, type StartProblem } from './problem.ts';
import type { PartStatus } from './supervisor.ts';
import { VERSION } from './version.ts';

export type Servers = {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly stop: (deadlineMs: number) => Promise<void>;
};

const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);
/** Without a choice, only the embedded profile on a loopback address needs no token. */
const openOr = (config: Config, choice: boolean | undefined): Access =>
  (choice ?? (config.profile === 'embedded' && isLoopback(config.host)))
    ? { public: { ratePerMinute: 6_000 } }
    : { roles: ['operator', 'service'] };
const whenBusy = (config: Config, key: 'httpPort' | 'grpcPort'): 'next' | 'refuse' =>
  config.chosen.has(key) ? 'refuse' : 'next';
const namesOf = (parts: readonly PartStatus[]): string => parts.map(({ name }) => name).join(', ');
const inWords = (variable: string, error: { readonly kind: string; readonly port?: number }): StartProblem =>
  startProblem(
    error.kind === 'PortBusy'
      ? `${variable}: port ${error.port} is taken by another process`
      : `${variable}: ${JSON.stringify(error)}`,
  );

const DESCRIPTION = `Everything that Doska does, as JSON over HTTP. The same services answer by gRPC.

64-bit numbers are strings, times are RFC 3339 or microseconds since the epoch, bytes are base64. Answers show every field,
also those that have their default. Unknown fields and parameters are refused. Streams are NDJSON.`;

/** Starts the gRPC and the HTTP server. All apps of the process share them. */
export const startServers = async (
  config: Config,
  { services, routes, hot, mounts, readiness: declared }: Assembly,
  container: Container,
  parts: () => readonly PartStatus[],
): Promise<Result<Servers, StartProblem>> => {
  const telemetry = container.get(Tokens.telemetry);
  const shared = {
    telemetry,
    trustedProxies: config.trustedProxies,
    authenticator: container.get(Tokens.authenticator),
    clock: container.get(Tokens.clock),
    ids: container.get(Tokens.ids),
  };
  const calls = makeCallKit({
    ...shared,
    limits: {
      callMsMax: config.callMsMax,
      callsMax: config.callsMax,
      streamsMax: config.streamsMax,
      streamIdleMs: config.streamIdleMs,
    },
  });
  const grpc = await grpcServer({
    ...shared,
    calls,
    listen: { host: config.host, port: config.grpcPort, whenBusy: whenBusy(config, 'grpcPort') },
    services,
    limits: { requestBytesMax: config.grpcRequestBytesMax },
    reflection: { descriptorSet, access: openOr(config, config.openReflection) },
  });
  if (grpc.isErr()) return err(inWords('DOSKA_GRPC_PORT', grpc.error));
  const pool = container.get(Tokens.pool);
  const readiness: Assembly['readiness'] = {
    database: async () => guard('readiness', () => pool.query('select 1')),
    ...(container.isBound(Tokens.ydb) ? { ydb: () => container.get(Tokens.ydb).ping() } : {}),
    parts: async () => {
      const down = parts().filter(({ state }) => state !== 'running');
      return down.length === 0 ? ok(undefined) : err(notReady(`not running: ${namesOf(down)}`));
    },
    ...declared,
  };
  const docsAccess: Access = config.openDocs
    ? { public: { ratePerMinute: 6_000 } }
    : { roles: ['operator', 'service'] };
  const http = await httpServer({
    ...shared,
    calls,
    listen: { host: config.host, port: config.httpPort, whenBusy: whenBusy(config, 'httpPort') },
    routes,
    hot,
    mounts: [...mounts, apiPage(docsAccess)],
    openApi: {
      title: 'Doska',
      version: VERSION,
      description: DESCRIPTION,
      access: docsAccess,
      comments: contractComments,
      examples: contractExamples,
    },
    json: { services, descriptorSet },
    corsOrigins: listed(config.corsOrigins),
    limits: { bodyBytesMax: config.httpBodyBytesMax },
    metrics: {
      contentType: telemetry.metricsContentType,
      text: () => telemetry.metricsText(),
      access: openOr(config, config.openMetrics),
    },
    readiness,
  });
  if (http.isErr()) {
    await grpc.value.stop(0);
    return err(inWords('DOSKA_HTTP_PORT', http.error));
  }
  const stopHealth = await followReadiness(grpc.value, {
    services: services.map(({ definition }) => definition.fullName),
    everyMs: config.readinessMs,
    clock: shared.clock,
    readiness,
  });
  const stop = async (deadlineMs: number): Promise<void> => {
    stopHealth();
    await Promise.all([http.value.stop(deadlineMs), grpc.value.stop(deadlineMs)]);
  };
  return ok({ http: http.value, grpc: grpc.value, stop });
};

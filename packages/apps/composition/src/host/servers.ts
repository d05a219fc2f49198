import { grpcServer, type GrpcServer } from '@doska/adapters-grpc';
import { httpServer, type HttpServer } from '@doska/adapters-http';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import { guard } from '@doska/adapters-pg';
import type { Access } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import type { App } from '../app.ts';
import type { Config } from '../config/load.ts';
import { Tokens } from '../tokens.ts';
import { startProblem, type StartProblem } from './problem.ts';
import type { PartStatus } from './supervisor.ts';

export type Servers = {
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly stop: (deadlineMs: number) => Promise<void>;
};

const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);
/** What only the embedded profile on a loopback address leaves open without being told to. */
const openOr = (config: Config, choice: boolean | undefined): Access =>
  (choice ?? (config.profile === 'embedded' && isLoopback(config.host)))
    ? { public: { ratePerMinute: 6_000 } }
    : { roles: ['operator', 'service'] };
const whenBusy = (config: Config, key: 'httpPort' | 'grpcPort'): 'next' | 'refuse' =>
  config.chosen.has(key) ? 'refuse' : 'next';
const inWords = (variable: string, error: { readonly kind: string; readonly port?: number }): StartProblem =>
  startProblem(
    error.kind === 'PortBusy'
      ? `${variable}: port ${error.port} is taken by another process`
      : `${variable}: ${JSON.stringify(error)}`,
  );

/** Both ports, shared by all apps of the process. */
export const startServers = async (
  config: Config,
  apps: readonly App[],
  container: Container,
  parts: () => readonly PartStatus[],
): Promise<Result<Servers, StartProblem>> => {
  const telemetry = container.get(Tokens.telemetry);
  const shared = {
    ...{ telemetry, trustedProxies: config.trustedProxies },
    ...{
      authenticator: container.get(Tokens.authenticator),
      clock: container.get(Tokens.clock),
      ids: container.get(Tokens.ids),
    },
  };
  const grpc = await grpcServer({
    ...shared,
    listen: { host: config.host, port: config.grpcPort, whenBusy: whenBusy(config, 'grpcPort') },
    services: apps.flatMap((app) => app.grpc?.(container) ?? []),
    limits: {
      callMsMax: config.callMsMax,
      callsMax: config.callsMax,
      requestBytesMax: config.grpcRequestBytesMax,
    },
    reflection: { descriptorSet, access: openOr(config, config.openReflection) },
  });
  if (grpc.isErr()) return err(inWords('DOSKA_GRPC_PORT', grpc.error));
  const pool = container.get(Tokens.pool);
  const http = await httpServer({
    ...shared,
    listen: { host: config.host, port: config.httpPort, whenBusy: whenBusy(config, 'httpPort') },
    routes: apps.flatMap((app) => app.http?.(container) ?? []),
    limits: {
      bodyBytesMax: config.httpBodyBytesMax,
      requestsMax: config.callsMax,
      requestMsMax: config.callMsMax,
    },
    metrics: {
      contentType: telemetry.metricsContentType,
      text: () => telemetry.metricsText(),
      access: openOr(config, config.openMetrics),
    },
    readiness: {
      database: async () => guard('readiness', () => pool.query('select 1')),
      parts: async () =>
        parts().every(({ state }) => state === 'running') ? ok(undefined) : err('a part is not running'),
    },
  });
  if (http.isErr()) {
    await grpc.value.stop(0);
    return err(inWords('DOSKA_HTTP_PORT', http.error));
  }
  const stop = async (deadlineMs: number): Promise<void> =>
    void (await Promise.all([http.value.stop(deadlineMs), grpc.value.stop(deadlineMs)]));
  return ok({ http: http.value, grpc: grpc.value, stop });
};

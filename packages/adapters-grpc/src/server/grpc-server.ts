import { Server, ServerCredentials } from '@grpc/grpc-js';
import { sleep, unavailable, type Access, type Unavailable } from '@doska/core/kernel';
import {
  defaultCallLimits,
  makeCallKit,
  undeclaredMethods,
  type CallKit,
  type CallKitOptions,
  type CallLimits,
  type RpcService,
  type StatusName,
} from '@doska/adapters-rpc';
import { HealthImplementation } from 'grpc-health-check';
import { err, ResultAsync, type Result } from 'neverthrow';
import { reflectionServices } from '../reflection/reflection-service.ts';
import { implementation } from './implementation.ts';
import { freePort, type ListenOptions, type PortBusy } from './listen.ts';

export type GrpcLimits = CallLimits & {
  readonly requestBytesMax: number;
  readonly keepaliveMs: number;
};
export const defaultGrpcLimits: GrpcLimits = {
  ...defaultCallLimits,
  requestBytesMax: 4 * 1024 * 1024,
  keepaliveMs: 30_000,
};

export type GrpcServerOptions = Omit<CallKitOptions, 'limits'> & {
  readonly listen: ListenOptions;
  readonly services: readonly RpcService[];
  readonly limits?: Partial<GrpcLimits>;
  /** What this server shares with others of its process. Without it, it has bounds and rate limits of its own. */
  readonly calls?: CallKit;
  /** The contracts to show; operators may look unless `access` says otherwise. */
  readonly reflection?: { readonly descriptorSet: Uint8Array; readonly access?: Access };
  readonly tls?: { readonly certificatePem: string; readonly keyPem: string };
};
export interface GrpcServer {
  readonly host: string;
  readonly port: number;
  /** What health says of one service, or of everything. */
  setServing(serving: boolean, service?: string): void;
  /** Takes no new calls, lets the running ones end until the deadline, then ends them. Stopping twice is stopping once. */
  stop(deadlineMs: number): Promise<void>;
}
export type AccessUndeclared = { readonly kind: 'AccessUndeclared'; readonly methods: readonly string[] };
export type GrpcStartFailed = AccessUndeclared | PortBusy | Unavailable;

/** After the last handler ended its answer is still on its way. */
const FLUSH_MS = 100;

const bind = (
  server: Server,
  address: string,
  credentials: ServerCredentials,
): ResultAsync<number, Unavailable> =>
  ResultAsync.fromPromise(
    new Promise<number>((resolve, reject) =>
      server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port))),
    ),
    (cause) => unavailable(`listen on ${address}`, cause, false),
  );

const observer = ({ telemetry: { metrics } }: GrpcServerOptions) => {
  const total = metrics.counter({
    name: 'doska_grpc_requests_total',
    help: 'gRPC calls by method and status.',
    labels: ['method', 'code'],
  });
  const took = metrics.histogram({
    name: 'doska_grpc_request_seconds',
    help: 'How long gRPC calls took.',
    labels: ['method'],
  });
  return (method: string, code: StatusName, ms: number): void => {
    total.add(1, { method, code });
    took.observe(ms / 1000, { method });
  };
};

const start = async (options: GrpcServerOptions): Promise<Result<GrpcServer, GrpcStartFailed>> => {
  const limits = { ...defaultGrpcLimits, ...options.limits };
  const services = [...options.services, ...reflectionServices(options.reflection, options.services)];
  const methods = undeclaredMethods(services);
  if (methods.length > 0) return err({ kind: 'AccessUndeclared', methods });

  const kit = options.calls ?? makeCallKit({ ...options, limits });
  const observe = observer(options);
  const server = new Server({
    'grpc.max_receive_message_length': limits.requestBytesMax,
    'grpc.keepalive_time_ms': limits.keepaliveMs,
    'grpc.keepalive_timeout_ms': 10_000,
    // Statistics of the library are off: our own metrics say more.
    'grpc.enable_channelz': 0,
  });
  const names = ['', ...options.services.map(({ definition }) => definition.fullName)];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])));
  health.addToServer(server);
  for (const service of services) {
    const { wire, handlers } = implementation(kit, service, observe);
    server.addService(wire, handlers);
  }
  const { listen, tls } = options;
  const port = await freePort(listen);
  if (port.isErr()) return err(port.error);
  const credentials = tls
    ? ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(tls.certificatePem), private_key: Buffer.from(tls.keyPem) },
      ])
    : ServerCredentials.createInsecure();
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  const bound = await bind(server, `${host}:${port.value}`, credentials);

  const drain = async (deadlineMs: number): Promise<void> => {
    names.forEach((name) => health.setStatus(name, 'NOT_SERVING'));
    const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    // Clients that watch the health never leave by themselves: they do not delay the stop once all calls have ended.
    const done = kit.inFlight.idle().then(() => Promise.race([closed, sleep(options.clock, FLUSH_MS)]));
    const late = new AbortController();
    await Promise.race([done, sleep(options.clock, deadlineMs, late.signal)]);
    // A timer that is left would keep the process.
    late.abort();
    server.forceShutdown();
  };
  let stopped: Promise<void> | undefined;
  return bound.map((actual) => ({
    host: listen.host,
    port: actual,
    setServing: (serving, service = '') => health.setStatus(service, serving ? 'SERVING' : 'NOT_SERVING'),
    stop: (deadlineMs) => (stopped ??= drain(deadlineMs)),
  }));
};

/** Serves when it resolves. A method without a declared access, a taken port or a wrong host is a value, and nothing listens. */
export const grpcServer = (options: GrpcServerOptions): ResultAsync<GrpcServer, GrpcStartFailed> =>
  new ResultAsync(start(options));

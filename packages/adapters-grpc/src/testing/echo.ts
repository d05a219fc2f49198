import {
  unavailable,
  type Access,
  type Authenticator,
  type Caller,
  type Clock,
  type Telemetry,
} from '@doska/core/kernel';
import { errAsync, okAsync } from 'neverthrow';
import { grpcChannel, type ChannelOptions, type GrpcChannel } from '../client/grpc-channel.ts';
import { grpcServer, type GrpcServer, type GrpcServerOptions } from '../server/grpc-server.ts';
import type { MessageType } from '../service-definition.ts';

/** Messages as JSON, so that the kit can be tested without a contract of its own. */
const json = <T>(): MessageType<T> => ({
  encode: (message) => ({ finish: () => Buffer.from(JSON.stringify(message)) }),
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as T,
});
type Say = { readonly text: string };
type Count = { readonly n: number };

/** One method of each shape. */
export const Echo = {
  fullName: 'test.v1.Echo',
  methods: {
    say: {
      name: 'Say',
      requestType: json<Say>(),
      requestStream: false,
      responseType: json<Say>(),
      responseStream: false,
    },
    count: {
      name: 'Count',
      requestType: json<Count>(),
      requestStream: false,
      responseType: json<Count>(),
      responseStream: true,
    },
    sum: {
      name: 'Sum',
      requestType: json<Count>(),
      requestStream: true,
      responseType: json<Count>(),
      responseStream: false,
    },
    chat: {
      name: 'Chat',
      requestType: json<Say>(),
      requestStream: true,
      responseType: json<Say>(),
      responseStream: true,
    },
  },
} as const;

export const operators: Access = { roles: ['operator'] };
export const operatorsOnly = { say: operators, count: operators, sum: operators, chat: operators };

export const realClock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

const callers: Readonly<Record<string, Caller>> = {
  operator: { subject: 'ann', roles: [{ name: 'operator' }] },
  seller: { subject: 'bob', roles: [{ name: 'seller', id: '1' }] },
};
/** The token is the name of the caller. */
export const namedCallers: Authenticator = {
  authenticate: (token) => {
    const caller = callers[token];
    return caller ? okAsync(caller) : errAsync({ kind: 'Unauthenticated', reason: 'unknown token' });
  },
};

export type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown };
/** Remembers lines, counts and the parents of spans. */
export const recordingTelemetry = (): {
  telemetry: Telemetry;
  lines: Line[];
  counts: Map<string, number>;
  parents: unknown[];
} => {
  const [lines, counts, parents]: [Line[], Map<string, number>, unknown[]] = [[], new Map(), []];
  const logger = (base: object): Telemetry['logger'] => {
    const at = (level: string) => (message: string, fields?: object) =>
      void lines.push({ level, message, ...base, ...fields });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => logger({ ...base, ...fields }),
    };
  };
  const count = (name: string, n: number, labels: object = {}): void => {
    const key = [name, ...Object.values(labels)].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const telemetry: Telemetry = {
    logger: logger({}),
    metrics: {
      counter: ({ name }) => ({ add: (n = 1, labels) => count(name, n, labels) }),
      gauge: () => ({ set: () => undefined }),
      histogram: ({ name }) => ({ observe: (_value, labels) => count(name, 1, labels) }),
    },
    tracer: {
      span: (_name, { parent }, work) => (parents.push(parent), work()),
      context: () => ({ traceparent: 'ours' }),
    },
  };
  return { telemetry, lines, counts, parents };
};

export type Running = ReturnType<typeof recordingTelemetry> & {
  readonly server: GrpcServer;
  readonly channel: GrpcChannel;
  close(): Promise<void>;
};

/** A server on a free port of a real socket, and an operator's channel to it. */
export const running = async (
  services: GrpcServerOptions['services'],
  options: Partial<GrpcServerOptions> = {},
  channelOptions: Partial<ChannelOptions> = {},
): Promise<Running> => {
  const recorded = recordingTelemetry();
  let id = 0;
  const started = await grpcServer({
    listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
    services,
    authenticator: namedCallers,
    clock: realClock,
    ids: { next: () => `id-${(id += 1)}` },
    telemetry: recorded.telemetry,
    ...options,
  });
  if (started.isErr()) throw new Error(started.error.kind);
  const server = started.value;
  const channel = grpcChannel({
    target: `127.0.0.1:${server.port}`,
    clock: realClock,
    token: 'operator',
    ...channelOptions,
  });
  const close = async (): Promise<void> => {
    channel.close();
    await server.stop(1_000);
  };
  return { ...recorded, server, channel, close };
};

export const away = unavailable('pg 10.0.0.7: password of doska', new Error('secret'));

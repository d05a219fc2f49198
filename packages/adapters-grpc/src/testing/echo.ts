import { unavailable, type Access } from '@doska/core/kernel';
import { namedCallers, realClock, recordingTelemetry } from '@doska/core/kernel/testing';
import { grpcChannel, type ChannelOptions, type GrpcChannel } from '../client/grpc-channel.ts';
import { grpcServer, type GrpcServer, type GrpcServerOptions } from '../server/grpc-server.ts';
import { bytesOf, type MessageType } from '@doska/adapters-rpc';

/** Messages as JSON, so that the kit can be tested without a contract of its own. */
const json = <T>(): MessageType<T> => ({
  encode: (message) => ({ finish: () => Buffer.from(JSON.stringify(message)) }),
  decode: (input) => JSON.parse(Buffer.from(bytesOf(input)).toString()) as T,
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

import { timestampToMs } from '@doska/adapters-proto';
import { OperationsServiceDefinition } from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import type { Malformed } from '@doska/core/kernel';
import type { Result, ResultAsync } from 'neverthrow';
import type { CallOptions, GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { statusFromPb } from './operations.mapper.ts';
import type { PlatformStatus } from './platform-status.ts';

/** What `readTopic` answers: `json` is empty where the platform does not know what the topic holds. */
export type ReadRecord = {
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  readonly atMs: number;
  readonly value: Uint8Array;
  readonly json: string;
};
export interface OperationsClient {
  readTopic(query: {
    readonly topic: string;
    readonly key?: string;
    readonly limit?: number;
  }): AsyncIterable<Result<ReadRecord, RpcError>>;
  status(options?: CallOptions): ResultAsync<PlatformStatus, RpcError | Malformed>;
}

export const operationsClient = (channel: GrpcChannel): OperationsClient => {
  const client = channel.client(OperationsServiceDefinition);
  return {
    status: (options) => client.getStatus({}, options).andThen(statusFromPb),
    readTopic: async function* ({ topic, key = '', limit = 0 }) {
      for await (const answer of client.readTopic({ topic, key, limit }))
        yield answer.map(({ at, offset, headers: _headers, ...same }) => ({
          ...same,
          offset: Number(offset),
          atMs: at ? timestampToMs(at) : 0,
        }));
    },
  };
};

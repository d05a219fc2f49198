import { OperationsServiceDefinition } from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import type { Malformed } from '@doska/core/kernel';
import type { ResultAsync } from 'neverthrow';
import type { CallOptions, GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { statusFromPb } from './operations.mapper.ts';
import type { PlatformStatus } from './platform-status.ts';

export interface OperationsClient {
  status(options?: CallOptions): ResultAsync<PlatformStatus, RpcError | Malformed>;
}

export const operationsClient = (channel: GrpcChannel): OperationsClient => {
  const client = channel.client(OperationsServiceDefinition);
  return { status: (options) => client.getStatus({}, options).andThen(statusFromPb) };
};

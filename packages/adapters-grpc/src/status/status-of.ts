import { Metadata, type status } from '@grpc/grpc-js';
import { STATUS, type Failure } from '@doska/adapters-rpc';
import { clippedMessage, encodeDetails } from './rpc-details.ts';

export type RpcStatus = { readonly code: status; readonly details: string; readonly metadata: Metadata };

/** A failure as gRPC sends it: a status with `google.rpc` details. */
export const rpcStatus = ({ status: name, ...told }: Failure): RpcStatus => {
  const code: status = STATUS[name];
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', Buffer.from(encodeDetails({ code, ...told })));
  return { code, details: clippedMessage(told.message), metadata };
};

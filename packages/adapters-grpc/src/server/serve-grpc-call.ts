import { Metadata, type Deadline, type ServerUnaryCall } from '@grpc/grpc-js';
import {
  ServedCall,
  serveCall,
  type CallHead,
  type CallKit,
  type ServedMethod,
  type Work,
} from '@doska/adapters-rpc';
import { rpcStatus, type RpcStatus } from '../status/status-of.ts';

/** What calls of all shapes share. */
type AnyCall = Pick<
  ServerUnaryCall<unknown, unknown>,
  'metadata' | 'getPeer' | 'sendMetadata' | 'getDeadline'
> & {
  on(event: 'cancelled', heard: () => void): unknown;
};

const text = (metadata: Metadata, name: string): string | undefined => {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
};
const asMs = (deadline: Deadline): number => (typeof deadline === 'number' ? deadline : deadline.getTime());
const headOf = (call: AnyCall): CallHead => ({
  authorization: text(call.metadata, 'authorization'),
  requestId: text(call.metadata, 'x-request-id'),
  forwardedFor: text(call.metadata, 'x-forwarded-for'),
  peer: call.getPeer().replace(/:\d+$/, ''),
  deadlineMs: asMs(call.getDeadline()),
  traceparent: text(call.metadata, 'traceparent'),
  tracestate: text(call.metadata, 'tracestate'),
});

const greet = (call: AnyCall, { requestId }: ServedCall): void => {
  const head = new Metadata();
  head.set('x-request-id', requestId);
  call.sendMetadata(head);
};

/** A call of any shape. `finish` sends the closing status. */
export const serveGrpcCall = (
  kit: CallKit,
  method: ServedMethod,
  call: AnyCall,
  work: Work,
  finish: (status: RpcStatus | undefined) => void,
): Promise<void> => {
  const served = new ServedCall(kit, method, headOf(call));
  call.on('cancelled', () => served.deadline.cancel());
  // A single answer takes its head along: one packet instead of two.
  if (method.isStream) greet(call, served);
  return serveCall(kit, method, served, work, (failure) => {
    if (!method.isStream) greet(call, served);
    finish(failure && rpcStatus(failure));
  });
};

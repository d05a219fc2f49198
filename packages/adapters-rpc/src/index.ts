export { drained } from './call/backpressure.ts';
export {
  defaultCallLimits,
  makeCallKit,
  type CallKit,
  type CallKitOptions,
  type CallLimits,
} from './call/call-kit.ts';
export { type InFlight } from './call/in-flight.ts';
export { send, streamErrors, streamIdle } from './call/send.ts';
export { serveCall, type Work } from './call/serve-call.ts';
export { requestIdOf, ServedCall, traceOf, type CallHead, type ServedMethod } from './call/served-call.ts';
export {
  failureOf,
  internalFailure,
  overloaded,
  RETRY_AFTER_MS,
  type Failure,
  type KernelError,
} from './failure/failure.ts';
export { STATUS, type ErrorTable, type FailureStatus, type StatusName } from './failure/status.ts';
export { decodeRequest } from './registration/decode-request.ts';
export { PreparedMessage, preparedFor } from './registration/prepared-message.ts';
export { bytesOf, RequestReader } from './registration/request-reader.ts';
export {
  pathOf,
  type DomainError,
  type Eventually,
  type MessageOf,
  type MessageType,
  type MethodDefinition,
  type RequestOf,
  type ResponseOf,
  type ServiceDefinition,
} from './registration/service-definition.ts';
export {
  rpcService,
  undeclaredMethods,
  type CallContext,
  type Handler,
  type HttpHints,
  type RpcService,
  type ServiceRegistration,
} from './registration/service.ts';

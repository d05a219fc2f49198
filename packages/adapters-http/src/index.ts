export { type ReadinessCheck } from './health-routes.ts';
export {
  defaultHttpLimits,
  httpServer,
  type HotKit,
  type HttpLimits,
  type HttpServer,
  type HttpServerOptions,
  type HttpStartFailed,
} from './http-server.ts';
export { type ListenOptions, type PortBusy } from './listen.ts';
export { type Problem } from './problem.ts';
export {
  type AccessUndeclared,
  type DomainError,
  type ErrorTable,
  type Eventually,
  type HttpCall,
  type HttpMethod,
  type HttpMount,
  type HttpReply,
  type HttpRoute,
} from './route.ts';

export {
  notReady,
  readinessOf,
  type FailedCheck,
  type NotReady,
  type ReadinessCheck,
} from './health-routes.ts';
export { type HotKit, type HotRoute } from './hot-route.ts';
export {
  defaultHttpLimits,
  httpServer,
  type HttpLimits,
  type HttpServer,
  type HttpServerOptions,
  type HttpStartFailed,
} from './http-server.ts';
export { routeProblems } from './json/route-problems.ts';
export { type ListenOptions, type PortBusy } from './listen.ts';
export { type Problem } from './problem.ts';
export {
  type AccessUndeclared,
  type HttpCall,
  type HttpMethod,
  type HttpMount,
  type HttpReply,
  type HttpRoute,
} from './route.ts';
export { staticMount } from './static-mount.ts';

export { type BodyStream } from './body-stream.ts';
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
export { brokenOperations, operationShapes, type OperationShapes } from './openapi/broken-operations.ts';
export { type Example } from './openapi/contract-operation.ts';
export { type DocumentTexts } from './openapi/document.ts';
export { type OpenApiDocument, type Operation } from './openapi/open-api.ts';
export { type HttpMethod, type RouteDocs, type WrittenRoute } from './openapi/written-operation.ts';
export { type Problem } from './problem.ts';
export {
  type AccessUndeclared,
  type HttpCall,
  type HttpMount,
  type HttpReply,
  type HttpRoute,
} from './route.ts';
export { staticMount } from './static-mount.ts';

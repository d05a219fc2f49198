import type { FailureStatus } from '@doska/adapters-rpc';

/** nginx's number for a client that did not wait. */
export const CLIENT_LEFT = 499;

/** The one table between the statuses of services and those of HTTP. Hand-written routes use it too. */
export const HTTP_STATUS: Readonly<Record<FailureStatus, number>> = {
  CANCELLED: CLIENT_LEFT,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

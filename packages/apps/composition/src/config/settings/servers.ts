import { z } from 'zod';
import { port, setting, wholeNumber } from '../setting.ts';

/** What is listened on, and how much a caller may ask. */
export const serverSettings = {
  host: setting('DOSKA_HOST', z.string().min(1).default('127.0.0.1'), 'The address to listen on.'),
  httpPort: setting(
    'DOSKA_HTTP_PORT',
    port.default(8080),
    'HTTP port; a busy default moves to the next free one, 0 is any.',
  ),
  grpcPort: setting(
    'DOSKA_GRPC_PORT',
    port.default(9090),
    'gRPC port; a busy default moves to the next free one, 0 is any.',
  ),
  trustedProxies: setting(
    'DOSKA_TRUSTED_PROXIES',
    wholeNumber(0, 10).default(0),
    'How many proxies of yours stand in front: rate limits go by the address before them.',
  ),
  httpBodyBytesMax: setting(
    'DOSKA_HTTP_BODY_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(1 << 20),
    'The largest HTTP request body.',
  ),
  grpcRequestBytesMax: setting(
    'DOSKA_GRPC_REQUEST_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(4 << 20),
    'The largest gRPC request.',
  ),
  callMsMax: setting(
    'DOSKA_CALL_MS_MAX',
    wholeNumber(100, 3_600_000).default(60_000),
    'The longest a call may take, whatever its client asks.',
  ),
  callsMax: setting(
    'DOSKA_CALLS_MAX',
    wholeNumber(1, 100_000).default(1_000),
    'Calls at the same time, a process; more are refused.',
  ),
  stopMs: setting(
    'DOSKA_STOP_MS',
    wholeNumber(100, 600_000).default(10_000),
    'How long a stop may take before what still runs is cut off.',
  ),
};

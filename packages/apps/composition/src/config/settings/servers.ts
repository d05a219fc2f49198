import { z } from 'zod';
import { port, setting, wholeNumber } from '../setting.ts';

/** Addresses of the servers and limits of calls. */
export const serverSettings = {
  host: setting(
    'DOSKA_HOST',
    z.string().min(1).default('127.0.0.1'),
    'The address that both servers listen on.',
    { inReadme: true },
  ),
  httpPort: setting(
    'DOSKA_HTTP_PORT',
    port.default(8080),
    'The HTTP port. If the default port is taken, the next free one is used; 0 means any free port.',
    { inReadme: true },
  ),
  grpcPort: setting(
    'DOSKA_GRPC_PORT',
    port.default(9090),
    'The gRPC port. If the default port is taken, the next free one is used; 0 means any free port.',
    { inReadme: true },
  ),
  trustedProxies: setting(
    'DOSKA_TRUSTED_PROXIES',
    wholeNumber(0, 10).default(0),
    'The number of your proxies in front of Doska. Rate limits use the IP address in front of them.',
  ),
  httpBodyBytesMax: setting(
    'DOSKA_HTTP_BODY_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(1 << 20),
    'The largest HTTP request body, in bytes.',
  ),
  grpcRequestBytesMax: setting(
    'DOSKA_GRPC_REQUEST_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(4 << 20),
    'The largest gRPC request, in bytes.',
  ),
  callMsMax: setting(
    'DOSKA_CALL_MS_MAX',
    wholeNumber(100, 3_600_000).default(60_000),
    'The longest time of a call, but for those with files of feeds. A longer deadline of the client is shortened to it.',
  ),
  callsMax: setting(
    'DOSKA_CALLS_MAX',
    wholeNumber(1, 100_000).default(1_000),
    'Calls in progress per process. Further calls are refused.',
  ),
  streamsMax: setting(
    'DOSKA_STREAMS_MAX',
    wholeNumber(1, 100_000).default(100),
    'gRPC calls in progress per process that answer with a stream. They count for DOSKA_CALLS_MAX too.',
  ),
  streamIdleMs: setting(
    'DOSKA_STREAM_IDLE_MS',
    wholeNumber(100, 3_600_000).default(20_000),
    'A stream ends when its client has read nothing for this long.',
  ),
  readinessMs: setting(
    'DOSKA_READINESS_MS',
    wholeNumber(100, 60_000).default(1_000),
    'How often gRPC health looks whether the process is ready.',
  ),
  stopMs: setting(
    'DOSKA_STOP_MS',
    wholeNumber(100, 600_000).default(10_000),
    'The longest time of a stop. Work that still runs then is aborted.',
  ),
};

export { type Brand } from './brand.ts';
export {
  invalidInput,
  unavailable,
  unreachable,
  type InvalidInput,
  type Unavailable,
  type Violation,
} from './errors.ts';
export { sleep, type Cancel, type Clock } from './ports/clock.port.ts';
export { type Codec, type Malformed } from './ports/codec.port.ts';
export { type Ids } from './ports/ids.port.ts';
export { type Random } from './ports/random.port.ts';
export { type Signer } from './ports/signer.port.ts';
export {
  silentTelemetry,
  type Counter,
  type Fields,
  type Gauge,
  type Histogram,
  type Labels,
  type Logger,
  type Metrics,
  type MetricSpec,
  type Telemetry,
  type TraceContext,
  type Tracer,
} from './ports/telemetry.port.ts';
export { delayMs, retrying, type Backoff, type Retries } from './backoff.ts';
export { fromBase64Url, toBase64Url } from './base64url.ts';
export { makeBatcher, type Batcher, type BatcherOptions, type Overloaded } from './batcher.ts';
export { mapBounded } from './bounded.ts';
export { makePageTokens, type InvalidPageToken, type PageKey, type PageTokens } from './page-token.ts';
export { shardOf, xxh64, xxh64Bytes } from './xxh64.ts';

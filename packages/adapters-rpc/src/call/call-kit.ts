import {
  makeGate,
  rateLimiter,
  type Authenticator,
  type Clock,
  type Gate,
  type Ids,
  type Telemetry,
} from '@doska/core/kernel';
import { inFlight, type InFlight } from './in-flight.ts';

export type CallLimits = {
  /** The longest a call may take, whatever the client asks. */
  readonly callMsMax: number;
  readonly callsMax: number;
  /** Calls with a stream of answers that run at once. They count as calls too. */
  readonly streamsMax: number;
  /** A stream ends when its client has read nothing for this long. */
  readonly streamIdleMs: number;
};
export const defaultCallLimits: CallLimits = {
  callMsMax: 60_000,
  callsMax: 1_000,
  streamsMax: 100,
  streamIdleMs: 20_000,
};

export type CallKitOptions = {
  readonly authenticator: Authenticator;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly limits?: Partial<CallLimits>;
  /** How many proxies of ours stand before us, for the address that rate limits go by. */
  readonly trustedProxies?: number;
};

/** What calls need before they are served. The servers of a process share one, so a client can't have two shares. */
export type CallKit = {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly trustedProxies: number;
  readonly callMsMax: number;
  readonly inFlight: InFlight;
  /** The calls of `inFlight` that answer with a stream. They have a bound of their own, so they can't crowd out the others. */
  readonly streams: InFlight;
  readonly streamIdleMs: number;
};

export const makeCallKit = (options: CallKitOptions): CallKit => {
  const { authenticator, clock, ids, telemetry, trustedProxies = 0 } = options;
  const limits = { ...defaultCallLimits, ...options.limits };
  const running = telemetry.metrics.gauge({
    name: 'doska_calls_in_flight',
    help: 'Calls that run now, by gRPC or HTTP.',
  });
  const streaming = telemetry.metrics.gauge({
    name: 'doska_streams_in_flight',
    help: 'Calls with a stream of answers that run now.',
  });
  return {
    gate: makeGate({ authenticator, limiter: rateLimiter(clock) }),
    clock,
    ids,
    telemetry,
    trustedProxies,
    callMsMax: limits.callMsMax,
    inFlight: inFlight(limits.callsMax, (count) => running.set(count)),
    streams: inFlight(limits.streamsMax, (count) => streaming.set(count)),
    streamIdleMs: limits.streamIdleMs,
  };
};

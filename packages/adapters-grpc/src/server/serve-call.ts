import { Metadata, status, type ServerUnaryCall } from '@grpc/grpc-js';
import {
  clientAddress,
  type Access,
  type Caller,
  type Clock,
  type Gate,
  type Ids,
  type Logger,
  type Telemetry,
  type TraceContext,
} from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { DomainError } from '../service-definition.ts';
import { rpcStatus, statusOf, type ErrorTable, type RpcStatus } from '../status/status-of.ts';
import { callDeadline, type CallEnd } from './deadline.ts';
import type { InFlight } from './in-flight.ts';
import type { CallContext } from './service.ts';

export type CallKit = {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly trustedProxies: number;
  readonly callMsMax: number;
  readonly inFlight: InFlight;
  readonly observe: (path: string, code: string, ms: number) => void;
};
export type ServedMethod = {
  readonly path: string;
  readonly access: Access;
  readonly errors: ErrorTable;
  /** Answers with many messages. */
  readonly isStream: boolean;
};
/** What calls of all shapes share. */
type AnyCall = Pick<
  ServerUnaryCall<unknown, unknown>,
  'metadata' | 'getPeer' | 'sendMetadata' | 'getDeadline'
> & {
  on(event: 'cancelled', heard: () => void): unknown;
};
/** Runs the handler and sends its answers, all but the closing status. */
export type Work = (context: CallContext) => Promise<Result<void, DomainError>>;
/** `bug` is an exception, or an error that no table knows. */
type Outcome = { readonly status?: RpcStatus; readonly error?: DomainError; readonly bug?: unknown };

const text = (metadata: Metadata, name: string): string | undefined => {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
};
const NO_TRACE: TraceContext = {};
const traceOf = (metadata: Metadata): TraceContext => {
  const [traceparent, tracestate] = [text(metadata, 'traceparent'), text(metadata, 'tracestate')];
  if (traceparent === undefined) return NO_TRACE;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
};
const peerOf = (call: AnyCall): string => call.getPeer().replace(/:\d+$/, '');

const endedEarly = { deadline: status.DEADLINE_EXCEEDED, cancelled: status.CANCELLED } as const;
const early = (end: Exclude<CallEnd, 'running'>): Outcome => ({
  status: rpcStatus({
    code: endedEarly[end],
    message: end === 'deadline' ? 'the deadline has passed' : 'cancelled',
  }),
});

/**
 * One call from its first byte to its status, the same for every shape of method: id, trace, room, admission,
 * deadline, handler, one log line, metrics. Never rejects.
 */
export const serveCall = async (
  kit: CallKit,
  method: ServedMethod,
  call: AnyCall,
  work: Work,
  finish: (status: RpcStatus | undefined) => void,
): Promise<void> => {
  const { clock, telemetry } = kit;
  const startMs = clock.nowMs();
  const asked = text(call.metadata, 'x-request-id');
  const requestId = asked !== undefined && /^[\w.:-]{1,128}$/.test(asked) ? asked : kit.ids.next();
  const address = clientAddress({
    peer: peerOf(call),
    forwardedFor: text(call.metadata, 'x-forwarded-for'),
    trustedProxies: kit.trustedProxies,
  });
  const deadline = callDeadline(clock, call.getDeadline(), kit.callMsMax);
  call.on('cancelled', deadline.cancel);
  const greet = (): void => {
    const head = new Metadata();
    head.set('x-request-id', requestId);
    call.sendMetadata(head);
  };
  // A single answer takes its head along: one packet instead of two.
  if (method.isStream) greet();
  let caller: Caller | undefined;

  const admitted = async (): Promise<Result<void, DomainError>> => {
    const entered = await kit.gate({
      name: method.path,
      access: method.access,
      authorization: text(call.metadata, 'authorization'),
      address,
    });
    if (entered.isErr()) return err(entered.error);
    caller = entered.value;
    const { deadlineMs } = deadline;
    let logger: Logger | undefined;
    return work({
      caller,
      get signal() {
        return deadline.signal();
      },
      deadlineMs,
      requestId,
      metadata: call.metadata,
      address,
      // Most handlers say nothing: a logger is made when somebody asks for it.
      get logger() {
        return (logger ??= telemetry.logger.child({ requestId, method: method.path }));
      },
    });
  };

  const outcome = async (): Promise<Outcome> => {
    // A handler that does not heed its signal keeps its room until it ends: that is what the bound is for.
    const running = kit.inFlight.run(admitted);
    if (!running)
      return {
        status: rpcStatus({
          code: status.RESOURCE_EXHAUSTED,
          message: 'too many calls at once',
          reason: 'Overloaded',
          retryAfterMs: 1_000,
        }),
      };
    try {
      const first = await new Promise<Result<void, DomainError> | 'aborted'>((resolve, reject) => {
        deadline.onEnd(() => resolve('aborted'));
        running.then(resolve, reject);
      });
      const end = deadline.end();
      if (first === 'aborted' || (end !== 'running' && first.isErr()))
        return early(end === 'running' ? 'cancelled' : end);
      if (first.isOk()) return {};
      const known = statusOf(first.error, method.errors);
      return known ? { status: known, error: first.error } : { bug: first.error };
    } catch (bug) {
      const end = deadline.end();
      return end === 'running' ? { bug } : early(end);
    }
  };

  const attributes = { 'rpc.system': 'grpc', 'rpc.method': method.path, requestId };
  await telemetry.tracer.span(method.path, { parent: traceOf(call.metadata), attributes }, async () => {
    const { bug, error, status: known } = await outcome();
    deadline.clear();
    const closing =
      bug === undefined
        ? known
        : rpcStatus({
            code: status.INTERNAL,
            message: `internal error, request ${requestId}`,
            reason: 'Internal',
          });
    const code = status[closing?.code ?? status.OK];
    const ms = clock.nowMs() - startMs;
    kit.observe(method.path, code, ms);
    const line = { method: method.path, code, ms, requestId, caller: caller?.subject, address };
    if (bug !== undefined) telemetry.logger.error('grpc call failed', { ...line, error: bug });
    else if (error?.kind === 'Unavailable') telemetry.logger.warn('grpc call', { ...line, error });
    else telemetry.logger.info('grpc call', line);
    if (!method.isStream) greet();
    finish(closing);
    return closing ? err({ kind: code }) : ok();
  });
};

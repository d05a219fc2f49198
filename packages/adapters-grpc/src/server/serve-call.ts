import { Metadata, status, type ServerUnaryCall } from '@grpc/grpc-js';
import {
  clientAddress,
  nobody,
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
import { CallDeadline, type EarlyEnd } from './deadline.ts';
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
export type Work = (context: CallContext) => PromiseLike<Result<void, DomainError>>;
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
const requestIdOf = ({ metadata }: AnyCall, { ids }: CallKit): string => {
  const asked = text(metadata, 'x-request-id');
  return asked !== undefined && /^[\w.:-]{1,128}$/.test(asked) ? asked : ids.next();
};

/** What is known of a call. Its handler sees it as its context. */
class ServedCall implements CallContext {
  readonly metadata: Metadata;
  readonly requestId: string;
  readonly address: string;
  readonly deadline: CallDeadline;
  /** Undefined until somebody was let in. */
  admitted: Caller | undefined;
  readonly #telemetry: Telemetry;
  readonly #path: string;
  #logger: Logger | undefined;

  constructor(kit: CallKit, { path }: ServedMethod, call: AnyCall) {
    this.metadata = call.metadata;
    this.requestId = requestIdOf(call, kit);
    const forwardedFor = text(call.metadata, 'x-forwarded-for');
    this.address = clientAddress({ peer: peerOf(call), forwardedFor, trustedProxies: kit.trustedProxies });
    this.deadline = new CallDeadline(kit.clock, call.getDeadline(), kit.callMsMax);
    this.#telemetry = kit.telemetry;
    this.#path = path;
  }
  get caller(): Caller {
    return this.admitted ?? nobody;
  }
  get signal(): AbortSignal {
    return this.deadline.signal;
  }
  get deadlineMs(): number {
    return this.deadline.deadlineMs;
  }
  /** Most handlers say nothing: it is made when somebody asks for it. */
  get logger(): Logger {
    const { requestId } = this;
    return (this.#logger ??= this.#telemetry.logger.child({ requestId, method: this.#path }));
  }
}

const greet = (call: AnyCall, { requestId }: ServedCall): void => {
  const head = new Metadata();
  head.set('x-request-id', requestId);
  call.sendMetadata(head);
};
const NO_ROOM: Outcome = {
  status: rpcStatus({
    code: status.RESOURCE_EXHAUSTED,
    message: 'too many calls at once',
    reason: 'Overloaded',
    retryAfterMs: 1_000,
  }),
};
const endedEarly = { deadline: status.DEADLINE_EXCEEDED, cancelled: status.CANCELLED } as const;
const early = (end: EarlyEnd): Outcome => ({
  status: rpcStatus({
    code: endedEarly[end],
    message: end === 'deadline' ? 'the deadline has passed' : 'cancelled',
  }),
});
const judged = (result: Result<void, DomainError>, { errors }: ServedMethod): Outcome => {
  if (result.isOk()) return {};
  const known = statusOf(result.error, errors);
  return known ? { status: known, error: result.error } : { bug: result.error };
};

/** Every call of every service comes through here: promises are few, and chained by hand. */
const outcomeOf = (kit: CallKit, method: ServedMethod, call: ServedCall, work: Work): Promise<Outcome> => {
  if (!kit.inFlight.enter()) return Promise.resolve(NO_ROOM);
  return new Promise((settle) => {
    call.deadline.onEnd((end) => settle(early(end)));
    // A handler that does not heed its signal keeps its room until it ends: that is what the bound is for.
    const leave = (outcome: Outcome): void => {
      kit.inFlight.leave();
      settle(outcome);
    };
    const enter = (entered: Awaited<ReturnType<Gate>>): ReturnType<Work> | Result<void, DomainError> => {
      if (entered.isErr()) return err(entered.error);
      call.admitted = entered.value;
      return work(call);
    };
    try {
      const authorization = text(call.metadata, 'authorization');
      kit
        .gate({ name: method.path, access: method.access, authorization, address: call.address })
        .then<Result<void, DomainError>, never>(enter)
        .then(
          (result) => leave(judged(result, method)),
          (bug: unknown) => leave({ bug }),
        );
    } catch (bug) {
      leave({ bug });
    }
  });
};

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
  const served = new ServedCall(kit, method, call);
  const { requestId, address, deadline } = served;
  call.on('cancelled', () => deadline.cancel());
  // A single answer takes its head along: one packet instead of two.
  if (method.isStream) greet(call, served);

  const close = ({ bug, error, status: known }: Outcome): Result<void, { readonly kind: string }> => {
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
    const line = { method: method.path, code, ms, requestId, caller: served.admitted?.subject, address };
    if (bug !== undefined) telemetry.logger.error('grpc call failed', { ...line, error: bug });
    else if (error?.kind === 'Unavailable') telemetry.logger.warn('grpc call', { ...line, error });
    else telemetry.logger.info('grpc call', line);
    if (!method.isStream) greet(call, served);
    finish(closing);
    return closing ? err({ kind: code }) : ok();
  };
  const attributes = { 'rpc.system': 'grpc', 'rpc.method': method.path, requestId };
  await telemetry.tracer.span(method.path, { parent: traceOf(call.metadata), attributes }, () =>
    outcomeOf(kit, method, served, work).then(close),
  );
};

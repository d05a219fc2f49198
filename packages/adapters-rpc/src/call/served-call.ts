import {
  clientAddress,
  unauthenticatedCaller,
  type Access,
  type Caller,
  type Logger,
  type Telemetry,
  type TraceContext,
} from '@doska/core/kernel';
import type { ErrorTable, StatusName } from '../failure/status.ts';
import type { CallContext } from '../registration/service.ts';
import type { CallKit } from './call-kit.ts';
import { CallDeadline } from './deadline.ts';

/** A method as one transport serves it. */
export type ServedMethod = {
  /** `/package.Service/Method`, whatever the transport. Rate limits go by it. */
  readonly path: string;
  readonly access: Access;
  readonly errors: ErrorTable;
  /** Answers with many messages. */
  readonly isStream: boolean;
  readonly transport: 'grpc' | 'http';
  /** The longest time of a call, if it is not that of the others. */
  readonly msMax: number | undefined;
  /** What its log lines say besides. */
  readonly logged?: Readonly<Record<string, string>>;
  readonly observe: (status: StatusName, ms: number) => void;
};

/** What the head of a request says, as its transport read it. */
export type CallHead = {
  readonly authorization: string | undefined;
  /** The id that the client chose. */
  readonly requestId: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly peer: string;
  /** When the client stops to wait. */
  readonly deadlineMs: number;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
};

const REQUEST_ID = /^[\w.:-]{1,128}$/;
/** The client's own id if it is a decent one. */
export const requestIdOf = (asked: string | undefined, { ids }: Pick<CallKit, 'ids'>): string =>
  asked !== undefined && REQUEST_ID.test(asked) ? asked : ids.next();

const NO_TRACE: TraceContext = {};
export const traceOf = ({
  traceparent,
  tracestate,
}: Pick<CallHead, 'traceparent' | 'tracestate'>): TraceContext => {
  if (traceparent === undefined) return NO_TRACE;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
};

/** What is known of a call. Its handler sees it as its context. */
export class ServedCall implements CallContext {
  readonly head: CallHead;
  readonly requestId: string;
  readonly address: string;
  readonly deadline: CallDeadline;
  /** Undefined until the caller is admitted. */
  admitted: Caller | undefined;
  readonly #telemetry: Telemetry;
  readonly #path: string;
  #logger: Logger | undefined;

  constructor(kit: CallKit, { path, msMax = kit.callMsMax }: ServedMethod, head: CallHead) {
    const { peer, forwardedFor, deadlineMs } = head;
    this.head = head;
    this.requestId = requestIdOf(head.requestId, kit);
    this.address = clientAddress({ peer, forwardedFor, trustedProxies: kit.trustedProxies });
    this.deadline = new CallDeadline(kit.clock, deadlineMs, msMax);
    this.#telemetry = kit.telemetry;
    this.#path = path;
  }
  get caller(): Caller {
    return this.admitted ?? unauthenticatedCaller;
  }
  get signal(): AbortSignal {
    return this.deadline.signal;
  }
  get deadlineMs(): number {
    return this.deadline.deadlineMs;
  }
  /** Created on first use: most handlers do not need it. */
  get logger(): Logger {
    const { requestId } = this;
    return (this.#logger ??= this.#telemetry.logger.child({ requestId, method: this.#path }));
  }
}

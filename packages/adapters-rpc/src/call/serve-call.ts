import type { Gate } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { failureOf, internalFailure, overloaded, type Failure } from '../failure/failure.ts';
import type { DomainError } from '../registration/service-definition.ts';
import type { CallContext } from '../registration/service.ts';
import type { CallKit } from './call-kit.ts';
import type { EarlyEnd } from './deadline.ts';
import { traceOf, type ServedCall, type ServedMethod } from './served-call.ts';

/** Runs the handler and sends its answers, all but the closing status. */
export type Work = (context: CallContext) => PromiseLike<Result<void, DomainError>>;
/** `bug` is an exception, or an error that no table knows. */
type Outcome = { readonly failure?: Failure; readonly error?: DomainError; readonly bug?: unknown };

const early = (end: EarlyEnd): Outcome => ({
  failure:
    end === 'deadline'
      ? { status: 'DEADLINE_EXCEEDED', message: 'the deadline has passed' }
      : { status: 'CANCELLED', message: 'cancelled' },
});
const judged = (result: Result<void, DomainError>, { errors }: ServedMethod): Outcome => {
  if (result.isOk()) return {};
  const failure = failureOf(result.error, errors);
  return failure ? { failure, error: result.error } : { bug: result.error };
};

/** Every call of every service comes through here: promises are few, and chained by hand. */
const outcomeOf = (kit: CallKit, method: ServedMethod, call: ServedCall, work: Work): Promise<Outcome> => {
  if (!kit.inFlight.enter()) return Promise.resolve({ failure: overloaded('calls') });
  if (method.isStream && !kit.streams.enter()) {
    kit.inFlight.leave();
    return Promise.resolve({ failure: overloaded('streams') });
  }
  return new Promise((settle) => {
    call.deadline.onEnd((end) => settle(early(end)));
    // A handler that does not heed its signal keeps its room until it ends: that is what the bound is for.
    const leave = (outcome: Outcome): void => {
      if (method.isStream) kit.streams.leave();
      kit.inFlight.leave();
      settle(outcome);
    };
    const enter = (entered: Awaited<ReturnType<Gate>>): ReturnType<Work> | Result<void, DomainError> => {
      if (entered.isErr()) return err(entered.error);
      call.admitted = entered.value;
      return work(call);
    };
    try {
      const { authorization } = call.head;
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
 * One call from its first byte to its status, the same for every shape of method and for every transport: trace, room,
 * admission, deadline, handler, one log line, metrics. `finish` sends the closing status. Never rejects.
 */
export const serveCall = async (
  kit: CallKit,
  method: ServedMethod,
  call: ServedCall,
  work: Work,
  finish: (failure: Failure | undefined) => void,
): Promise<void> => {
  const { clock, telemetry } = kit;
  const startMs = clock.nowMs();
  const { requestId, address, deadline } = call;
  const close = ({ bug, error, failure: known }: Outcome): Result<void, { readonly kind: string }> => {
    deadline.clear();
    const failure = bug === undefined ? known : internalFailure(requestId);
    const code = failure?.status ?? 'OK';
    const ms = clock.nowMs() - startMs;
    method.observe(code, ms);
    const caller = call.admitted?.subject;
    const line = { method: method.path, ...method.logged, code, ms, requestId, caller, address };
    const { logger } = telemetry;
    if (bug !== undefined) logger.error(`${method.transport} call failed`, { ...line, error: bug });
    else if (error?.kind === 'Unavailable') logger.warn(`${method.transport} call`, { ...line, error });
    else logger.info(`${method.transport} call`, line);
    finish(failure);
    return failure ? err({ kind: code }) : ok();
  };
  const attributes = { 'rpc.system': method.transport, 'rpc.method': method.path, requestId };
  await telemetry.tracer.span(method.path, { parent: traceOf(call.head), attributes }, () =>
    outcomeOf(kit, method, call, work).then(close),
  );
};

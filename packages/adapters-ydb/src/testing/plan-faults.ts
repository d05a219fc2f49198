import type { Random } from '@doska/core/kernel';
import type { RetryPolicy } from '../driver/transaction.ts';
import type { Fault, FaultPlan } from './stand-in/server/faults.ts';
import type { StandIn } from './stand-in/stand-in.ts';

type Request = {
  readonly query?: { readonly yqlText?: string };
  readonly txControl?: {
    readonly commitTx?: boolean;
    readonly beginTx?: { readonly snapshotReadOnly?: unknown };
  };
};
/** Whether the call may change something: the last one of a transaction that writes. */
export const commits = (request: object): boolean => {
  const { txControl, query } = request as Request;
  return txControl?.commitTx === true && /\b(UPSERT|UPDATE|DELETE)\b/.test(query?.yqlText ?? '');
};
export const hasText = (request: object, text: string): boolean =>
  (request as Request).query?.yqlText?.includes(text) === true;

/** Pauses that do not make a test long. */
export const quickRetries: RetryPolicy = {
  fast: { firstMs: 2, factor: 2, maxMs: 100, jitter: 1, attemptsMax: 60 },
  slow: { firstMs: 5, factor: 2, maxMs: 50, jitter: 0.5, attemptsMax: 60 },
  withinMs: 30_000,
};
const SURELY_NOTHING = ['ABORTED', 'OVERLOADED', 'BAD_SESSION'] as const;
const UNKNOWN = ['UNAVAILABLE', 'UNDETERMINED'] as const;
/** gRPC codes of a proxy: ABORTED and INTERNAL. */
const BY_PROXY = [10, 13];

type Odds = { readonly random: Random; readonly times: number; readonly oneIn: number };
const planner =
  (standIn: StandIn, { random, times, oneIn }: Odds) =>
  (fault: Fault, when: NonNullable<FaultPlan['when']> = () => true): void =>
    standIn.faults.add('ExecuteDataQuery', fault, {
      times,
      when: (request) => when(request) && random.below(oneIn) === 0,
    });
/** Faults that no caller may notice: refused calls, and reads without an answer. */
export const planHiddenFaults = (standIn: StandIn, odds: Odds): void => {
  const plan = planner(standIn, odds);
  for (const status of SURELY_NOTHING) plan({ kind: 'refuse', status });
  for (const status of UNKNOWN) plan({ kind: 'refuse', status }, (request) => !commits(request));
  for (const code of BY_PROXY) plan({ kind: 'grpc', code }, (request) => !commits(request));
};
/** Commits with an unknown outcome, and connections that break under all calls. */
export const planLostAnswers = (standIn: StandIn, odds: Odds): void => {
  const plan = planner(standIn, odds);
  for (const status of UNKNOWN) {
    plan({ kind: 'refuse', status }, commits);
    plan({ kind: 'applyThenRefuse', status }, commits);
  }
  for (const code of BY_PROXY) {
    plan({ kind: 'grpc', code }, commits);
    plan({ kind: 'applyThenGrpc', code }, commits);
  }
  plan({ kind: 'drop' });
  plan({ kind: 'applyThenDrop' });
};

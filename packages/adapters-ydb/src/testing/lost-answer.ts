import { expect } from 'vitest';
import type { ResultAsync } from 'neverthrow';
import type { Fault } from './stand-in/server/faults.ts';
import type { StandIn } from './stand-in/stand-in.ts';
import { commits } from './plan-faults.ts';

/** The commit has happened, and its answer does not arrive. */
export const LOST_ANSWERS = [
  ['the outcome is undetermined', { kind: 'applyThenRefuse', status: 'UNDETERMINED' }],
  ['a proxy answers INTERNAL', { kind: 'applyThenGrpc', code: 13 }],
  ['the connection is cut', { kind: 'applyThenDrop' }],
  ['the node is silent', { kind: 'applyThenHang' }],
] as const satisfies readonly (readonly [string, Fault])[];
/** Short enough for a silent node in a test. */
export const shortCalls = { operationMs: 700, graceMs: 300 };

/** Runs `work` so that the answer of its commit is lost, and looks what its caller hears. */
export const losing = async (
  standIn: StandIn,
  fault: Fault,
  heard: 'done' | 'unknown',
  work: () => ResultAsync<unknown, unknown>,
): Promise<void> => {
  standIn.faults.add('ExecuteDataQuery', fault, { when: commits });
  const outcome = await work();
  expect(standIn.faults.left).toBe(0);
  if (heard === 'done') expect(outcome.isOk()).toBe(true);
  else expect(outcome._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: true });
};

import type { ProcessStatus } from '@doska/adapters-grpc';
import type { ProcessRecord, SelfStatus } from '@doska/app-composition';
import type { Unavailable } from '@doska/core/kernel';

/** Something that could not be asked. */
export type Reach = { readonly what: string; readonly error: Unavailable };

/** The answering process as it is now, then the others as they described themselves. */
export const seeProcesses = (
  self: SelfStatus['process'],
  records: readonly ProcessRecord[],
  nowMs: number,
  missingMs: number,
): readonly ProcessStatus[] => [
  { ...self, heartbeatAtMs: nowMs, isMissing: false },
  ...records
    .filter(({ id }) => id !== self.id)
    .map((record) => ({ ...record, isMissing: nowMs - record.heartbeatAtMs >= missingMs })),
];

const reasonOf = ({ what, cause }: Unavailable): string =>
  cause instanceof Error && cause.message !== '' ? cause.message : what;
const nameOf = ({ apps, host, pid }: ProcessStatus): string =>
  `${apps.join(', ')} (process ${pid} on ${host})`;
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** What is wrong, in sentences: what can't be reached, missing processes, blocked partitions, parts that do not run. */
export const troublesOf = (
  reach: readonly Reach[],
  processes: readonly ProcessStatus[],
  nowMs: number,
): readonly string[] => [
  ...reach.map(({ what, error }) => `${what} can't be reached: ${reasonOf(error)}.`),
  ...processes
    .filter(({ isMissing }) => isMissing)
    .map(
      (one) => `${nameOf(one)} is missing: its last heartbeat was ${seconds(nowMs - one.heartbeatAtMs)} ago.`,
    ),
  ...processes.flatMap((one) =>
    (one.blocked ?? []).map(
      ({ group, topic, partition, offset, key, reason, sinceMs }) =>
        `${topic}/${partition} of group ${group} in ${nameOf(one)} is blocked since ${new Date(sinceMs).toISOString()} by record ${offset} (key ${JSON.stringify(key)}): ${reason}.`,
    ),
  ),
  ...processes.flatMap((one) =>
    one.workers
      .filter(({ state }) => state !== 'running')
      .map(
        ({ name, state, lastError }) =>
          `${name} of ${nameOf(one)} ${one.isMissing ? 'was' : 'is'} ${state}${lastError === undefined ? '' : `: ${lastError}`}.`,
      ),
  ),
];

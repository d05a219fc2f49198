import type { BlockedPartition } from '@doska/core/kernel';
/** What an operator sees of a running platform. Times are milliseconds since the epoch. */
export type PlatformStatus = {
  readonly platform: {
    readonly version: string;
    readonly profile: string;
    readonly startedAtMs: number;
    readonly members: readonly string[];
  };
  readonly workers: readonly WorkerStatus[];
  readonly lags: readonly GroupLag[];
  readonly leases: readonly LeaseStatus[];
  readonly jobs: readonly JobStatus[];
  /** Every process of the platform, the answering one first. */
  readonly processes: readonly ProcessStatus[];
  /** What is wrong, in sentences. What can't be reached comes first. */
  readonly troubles: readonly string[];
};
/** One process as it described itself at its last heartbeat. */
export type ProcessStatus = {
  readonly id: string;
  readonly apps: readonly string[];
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly heartbeatAtMs: number;
  readonly isMissing: boolean;
  readonly workers: readonly WorkerStatus[];
  /** Partitions that a record blocks. They are told as troubles. */
  readonly blocked?: readonly BlockedPartition[];
};
export type WorkerState = 'running' | 'restarting' | 'stopped' | 'failed';
export type WorkerStatus = {
  readonly name: string;
  readonly app: string;
  readonly state: WorkerState;
  readonly restarts: number;
  readonly lastError?: string;
  readonly sinceMs: number;
};
export type GroupLag = {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** The next offset the group will read, the next one a publisher will get, and what lies between. */
  readonly committed: number;
  readonly head: number;
  readonly lag: number;
  readonly oldestUnreadAgeMs: number;
};
export type LeaseStatus = {
  readonly set: string;
  readonly shard: number;
  readonly owner?: string;
  readonly token: number;
  readonly expiresAtMs?: number;
};
export type JobResult = 'succeeded' | 'failed';
export type JobStatus = {
  readonly name: string;
  readonly lastRunAtMs?: number;
  readonly lastResult?: JobResult;
  readonly lastError?: string;
  readonly nextRunAtMs?: number;
};

export interface StatusSource {
  status(): Promise<PlatformStatus>;
}

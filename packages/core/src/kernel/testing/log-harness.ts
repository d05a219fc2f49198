import type { LogRecord, MessageLog, TopicSpec } from '../ports/message-log.port.ts';

export type OpenLog = {
  readonly log: MessageLog;
  /** From now on this log reaches its server no more and hands nothing over: what kill -9 leaves. */
  readonly crash: () => Promise<void>;
  readonly close: () => Promise<void>;
};
export type MessageLogHarness = {
  /** One more client of the same log, as another process would have. Its leases (or sessions) expire within two seconds. */
  readonly open: () => Promise<OpenLog>;
  /** Removes every record of the topic but the newest of each partition, as retention would. */
  readonly prune: (topic: string) => Promise<void>;
  /** Deletes the topic with all its records and makes it again. */
  readonly recreate: (topic: TopicSpec) => Promise<void>;
  /**
   * What this backend promises beyond the port. `knownOutcomes`: without faults every publish succeeds and a graceful
   * stop makes nothing be delivered twice. `calmHandover`: a partition moves only after its running handler has finished
   * and its position is committed, so that a rebalance makes nothing be delivered twice either.
   */
  readonly promises: { readonly knownOutcomes: boolean; readonly calmHandover: boolean };
  /** Publishes with a time of the publisher's own, only where a publisher can say one. */
  readonly publishDated?: (record: LogRecord, atMs: number) => Promise<void>;
  /** A publish that has been begun and not committed yet; only where a log can join a transaction. */
  readonly begin?: (records: readonly LogRecord[]) => Promise<{ readonly commit: () => Promise<void> }>;
};

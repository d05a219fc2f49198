import { setting, wholeNumber } from '../setting.ts';

const DAY_MS = 86_400_000;

/** Topics, and the leases by which processes share their partitions. */
export const topicSettings = {
  leaseMs: setting(
    'DOSKA_LEASE_MS',
    wholeNumber(500, 600_000).default(5_000),
    'A process that sends no heartbeat for this long loses its shards to the others.',
  ),
  heartbeatMs: setting(
    'DOSKA_HEARTBEAT_MS',
    wholeNumber(50, 60_000).default(1_000),
    'The time between heartbeats. At most a third of DOSKA_LEASE_MS.',
  ),
  partitions: setting(
    'DOSKA_PARTITIONS',
    wholeNumber(1, 1_024).default(8),
    'Partitions of a new topic. The number of an existing topic can not change.',
  ),
  retentionMs: setting(
    'DOSKA_RETENTION_MS',
    wholeNumber(60_000, 3_650 * DAY_MS).default(7 * DAY_MS),
    'How long a topic keeps its records.',
  ),
  unreadFactor: setting(
    'DOSKA_UNREAD_FACTOR',
    wholeNumber(1, 1_000).default(4),
    'Records that a consumer group has not read are kept this many times longer.',
  ),
  lagSampleMs: setting(
    'DOSKA_LAG_SAMPLE_MS',
    wholeNumber(100, 3_600_000).default(10_000),
    'How often the lag of consumer groups is measured for `/metrics`.',
  ),
  blockedAfterMs: setting(
    'DOSKA_BLOCKED_AFTER_MS',
    wholeNumber(1_000, 3_600_000).default(30_000),
    'A partition whose record is retried for longer is reported as blocked: in the log and as `doska_log_blocked_seconds`.',
  ),
  recordAttemptsMax: setting(
    'DOSKA_RECORD_ATTEMPTS_MAX',
    wholeNumber(1, 1_000).default(5),
    'After so many errors about its data a consumed record becomes a dead letter. Other errors are retried without limit.',
  ),
  recordBytesMax: setting(
    'DOSKA_RECORD_BYTES_MAX',
    wholeNumber(1_024, 1 << 20).default(1 << 20),
    'The largest record of a topic, in bytes.',
  ),
};

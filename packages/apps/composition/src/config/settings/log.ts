import { setting, wholeNumber } from '../setting.ts';

const DAY_MS = 86_400_000;

/** Topics and the members that share their partitions. */
export const logSettings = {
  leaseMs: setting(
    'DOSKA_LEASE_MS',
    wholeNumber(500, 600_000).default(5_000),
    'A member that is not heard of for so long loses its shards.',
  ),
  heartbeatMs: setting(
    'DOSKA_HEARTBEAT_MS',
    wholeNumber(50, 60_000).default(1_000),
    'How often a member says that it lives.',
  ),
  partitions: setting(
    'DOSKA_PARTITIONS',
    wholeNumber(1, 1_024).default(8),
    'Partitions of a topic that is made. Settled for ever when it is made.',
  ),
  retentionMs: setting(
    'DOSKA_RETENTION_MS',
    wholeNumber(60_000, 3_650 * DAY_MS).default(7 * DAY_MS),
    'How long a topic keeps its records.',
  ),
  unreadFactor: setting(
    'DOSKA_UNREAD_FACTOR',
    wholeNumber(1, 1_000).default(4),
    'What a group has not read is kept this many times longer.',
  ),
  lagSampleMs: setting(
    'DOSKA_LAG_SAMPLE_MS',
    wholeNumber(100, 3_600_000).default(10_000),
    'How often the lag of consumer groups is measured for `/metrics`.',
  ),
  recordBytesMax: setting(
    'DOSKA_RECORD_BYTES_MAX',
    wholeNumber(1_024, 1 << 20).default(1 << 20),
    'The largest record of a topic.',
  ),
};

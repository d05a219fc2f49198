import { shardOf } from '../xxh64.ts';
import type { LogRecord } from '../ports/message-log.port.ts';

/** The same in every log and every release, so a key keeps its partition when a topic moves to another log. */
export const partitionOf = (record: Pick<LogRecord, 'key' | 'partition'>, partitions: number): number =>
  record.partition ?? shardOf(record.key, partitions);

import { shardOf } from '../xxh64.ts';
import type { LogRecord } from '../ports/message-log.port.ts';

/** The same in every log and for ever: moving a topic between logs moves no key. */
export const partitionOf = (record: Pick<LogRecord, 'key' | 'partition'>, partitions: number): number =>
  record.partition ?? shardOf(record.key, partitions);

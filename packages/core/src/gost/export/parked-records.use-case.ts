import { okAsync, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ExportQueue, ParkedRecord } from './export-queue.port.ts';

/** The most records of one call. */
export const PARKED_RECORDS_MAX = 100;

/** What an operator does with records that their topic refused. A call without a key is about the records of all keys. */
export interface ParkedRecords {
  /** Oldest first in each shard, at most `PARKED_RECORDS_MAX`. */
  list(key?: string): ResultAsync<readonly ParkedRecord[], Unavailable>;
  /**
   * Puts what `list` returns back into the queue and returns how many records that were. It looks once, so a record that
   * is refused and parked again meanwhile does not keep the call busy.
   */
  sendAgain(key?: string): ResultAsync<number, Unavailable>;
}

type Needs = { readonly queue: Pick<ExportQueue, 'parked' | 'unpark'>; readonly shards: number };

export const makeParkedRecords = ({ queue, shards }: Needs): ParkedRecords => {
  const listFrom = (
    shard: number,
    found: readonly ParkedRecord[],
    key: string | undefined,
  ): ResultAsync<readonly ParkedRecord[], Unavailable> => {
    const left = PARKED_RECORDS_MAX - found.length;
    return shard >= shards || left <= 0
      ? okAsync(found)
      : queue.parked(shard, left, key).andThen((more) => listFrom(shard + 1, [...found, ...more], key));
  };
  const list: ParkedRecords['list'] = (key) => listFrom(0, [], key);
  return {
    list,
    sendAgain: (key) =>
      list(key).andThen((records) =>
        // One at a time: together they may be larger than a transaction of the store.
        records.reduce<ResultAsync<number, Unavailable>>(
          (before, record) =>
            before.andThen((count) => queue.unpark(record).map((isMoved) => count + (isMoved ? 1 : 0))),
          okAsync(0),
        ),
      ),
  };
};

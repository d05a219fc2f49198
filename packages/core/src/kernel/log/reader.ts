import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Clock } from '../ports/clock.port.ts';
import type { LogStorage } from '../ports/log-storage.port.ts';
import type { Delivered, LogReader, Position, ReadError, TopicInfo } from '../ports/message-log.port.ts';

type Needs = { readonly storage: LogStorage; readonly clock: Clock; readonly pollMs: number };

/** A reader on any `LogStorage`, starting at `offset`. */
export const storageReader = (
  { storage, clock, pollMs }: Needs,
  topic: TopicInfo,
  partition: number,
  offset: number,
): LogReader => {
  let next = offset;
  const read = async (
    recordsMax: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Result<readonly Delivered[], ReadError>> => {
    for (const untilMs = clock.nowMs() + waitMs; ;) {
      const seen = storage.arrivals(topic.name);
      const fetched = await storage.fetch(topic, [{ partition, offset: next }], {
        recordsMax,
        bytesMax: 1 << 20,
      });
      if (fetched.isErr()) return err(fetched.error);
      const records = fetched.value[0]?.records ?? [];
      const last = records.at(-1);
      if (last) next = last.position.offset + 1;
      const leftMs = untilMs - clock.nowMs();
      if (records.length > 0 || leftMs <= 0 || signal.aborted) return ok(records);
      await storage.waitForMore(topic.name, seen, Math.min(pollMs, leftMs), signal);
    }
  };
  return {
    next: ({ recordsMax = 1_000, waitMs = 0, signal = new AbortController().signal } = {}) =>
      new ResultAsync(read(recordsMax, waitMs, signal)),
    position: (): Position => ({ log: topic.log, topic: topic.name, partition, offset: next }),
    close: () => Promise.resolve(),
  };
};

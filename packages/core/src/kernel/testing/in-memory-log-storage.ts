import { err, ok, type Result } from 'neverthrow';
import { sleep, type Clock } from '../ports/clock.port.ts';
import type { Fetched, LogStorage } from '../ports/log-storage.port.ts';
import type { Delivered, Position, PositionGone, TopicInfo } from '../ports/message-log.port.ts';
import { direct, type Io } from './io.ts';
import { memoryDatabase, type MemoryDatabase } from './memory-database.ts';

export type MemoryPartition = {
  readonly records: Delivered[];
  /** Offset of the first record that is kept. */ base: number;
};
/** The durable half of the in-memory log. */
export type MemoryLogServer = {
  readonly nowMs: () => number;
  readonly topics: Map<string, { readonly info: TopicInfo; readonly partitions: readonly MemoryPartition[] }>;
  readonly positions: Map<
    string,
    {
      readonly group: string;
      readonly topic: string;
      readonly partition: number;
      readonly offset: number;
      readonly token: number;
    }
  >;
  readonly fences: Map<string, { readonly token: number; readonly sequence: number }>;
  readonly arrivals: Map<string, number>;
  readonly listeners: Set<(topic: string) => void>;
  /** Leases of the groups live in a database of their own. */
  readonly leases: MemoryDatabase;
  lives: number;
};
export const memoryLogServer = (nowMs: () => number): MemoryLogServer => ({
  nowMs,
  topics: new Map(),
  positions: new Map(),
  fences: new Map(),
  arrivals: new Map(),
  listeners: new Set(),
  lives: 0,
  leases: memoryDatabase({ nowMs }),
});
export const headOf = ({ base, records }: MemoryPartition): number => base + records.length;
export const positionKey = (group: string, topic: string, partition: number): string =>
  JSON.stringify([group, topic, partition]);

const within = (records: readonly Delivered[], bytesMax: number): readonly Delivered[] => {
  let bytes = 0;
  const end = records.findIndex(({ value }, i) => (bytes += value.byteLength) > bytesMax && i > 0);
  return end < 0 ? records : records.slice(0, end);
};

type Options = {
  readonly server: MemoryLogServer;
  readonly io: Io;
  readonly clock: Clock;
  /** Every n-th position commit is lost, as a rebalance loses it on Kafka. */ readonly loseCommitEvery?: number;
};

export const inMemoryLogStorage = ({ server, io, clock, loseCommitEvery }: Options): LogStorage => {
  let commits = 0;
  const partitionsOf = (topic: string): readonly MemoryPartition[] =>
    server.topics.get(topic)?.partitions ?? [];
  return {
    topic: (name) =>
      io({ name: 'log.topic', args: name }, () => {
        const found = server.topics.get(name);
        return found ? ok(found.info) : err({ kind: 'UnknownTopic' as const, topic: name });
      }),
    claim: ({ group, topic, partition, token }) =>
      io({ name: 'log.claim', args: { group, partition, token } }, () => {
        const key = positionKey(group, topic, partition);
        const stored = server.positions.get(key) ?? {
          offset: partitionsOf(topic)[partition]?.base ?? 0,
          token: 0,
        };
        if (stored.token > token) return err({ kind: 'ClaimLost' as const });
        server.positions.set(key, { group, topic, partition, offset: stored.offset, token });
        return ok({ offset: stored.offset });
      }),
    fetch: (topic, cursors, { recordsMax, bytesMax }) =>
      io({ name: 'log.fetch', args: cursors }, (): Result<Fetched[], PositionGone> => {
        const fetched: Fetched[] = [];
        for (const { partition, offset } of cursors) {
          const kept = partitionsOf(topic.name)[partition];
          if (!kept || offset < kept.base || offset > headOf(kept)) {
            const position: Position = { log: topic.log, topic: topic.name, partition, offset };
            return err({
              kind: 'PositionGone',
              position,
              earliest: kept?.base ?? 0,
              head: kept ? headOf(kept) : 0,
            });
          }
          const from = offset - kept.base;
          fetched.push({ partition, records: within(kept.records.slice(from, from + recordsMax), bytesMax) });
        }
        return ok(fetched);
      }),
    commit: (group, topic, moves) =>
      io({ name: 'log.commit', args: moves, resendable: true }, () => {
        const lost: number[] = [];
        if (loseCommitEvery !== undefined && ++commits % loseCommitEvery === 0) return ok(lost);
        for (const { partition, offset, token } of moves) {
          const key = positionKey(group, topic, partition);
          const stored = server.positions.get(key);
          if (!stored || stored.token !== token) lost.push(partition);
          else if (stored.offset <= offset) server.positions.set(key, { ...stored, offset });
        }
        return ok(lost);
      }),
    arrivals: (topic) => server.arrivals.get(topic) ?? 0,
    waitForMore: (topic, seen, maxMs, signal) => {
      if (io !== direct) return sleep(clock, maxMs, signal); // in a simulation processes do not notify each other
      if ((server.arrivals.get(topic) ?? 0) !== seen) return Promise.resolve();
      const woken = new AbortController();
      const wake = (): void => woken.abort();
      const listener = (arrived: string): void => (arrived === topic ? wake() : undefined);
      server.listeners.add(listener);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
      return sleep(clock, maxMs, woken.signal).finally(() => {
        server.listeners.delete(listener);
        signal.removeEventListener('abort', wake);
      });
    },
  };
};

import { errAsync } from 'neverthrow';
import { unavailable, type MessageLog } from '@doska/core/kernel';
import {
  direct,
  inMemoryMessageLog,
  memoryLogServer,
  messageLogContract,
  realClock,
  realIds,
  realRandom,
  type Io,
} from '@doska/core/kernel/testing';
import { brokenLogs, NO_TAKEOVER, type LogPart } from './broken-log.ts';

const server = memoryLogServer(realClock.nowMs);
export const suiteOn = (name: string, broken: (right: MessageLog) => MessageLog): void =>
  messageLogContract(name, {
    promises: { knownOutcomes: true, calmHandover: true },
    open: async () => {
      let dead = false;
      const io: Io = (op, work) => (dead ? errAsync(unavailable('crashed')) : direct(op, work));
      const log = inMemoryMessageLog({
        server,
        io,
        clock: realClock,
        ids: realIds,
        random: realRandom,
        leaseTimes: { leaseMs: name === NO_TAKEOVER.name ? 60_000 : 600, beatMs: 60 },
        settings: { pollMs: 20, retry: { firstMs: 20, factor: 2, maxMs: 200, jitter: 0.2 } },
      });
      return { log: broken(log), close: () => log.close(), crash: async () => void (dead = true) };
    },
    prune: async (topic) => {
      for (const partition of server.topics.get(topic)?.partitions ?? []) {
        const gone = Math.max(0, partition.records.length - 1);
        partition.records.splice(0, gone);
        partition.base += gone;
      }
    },
    recreate: async (spec) => {
      server.topics.delete(spec.name);
      const { ensureTopics } = inMemoryMessageLog({
        server,
        clock: realClock,
        ids: realIds,
        random: realRandom,
      });
      await ensureTopics([spec]);
    },
  });

/** The MessageLog suite on every broken log of one part. */
export const suiteOnBroken = (part: LogPart): void => {
  for (const { name, broken } of brokenLogs(server)[part]) suiteOn(name, broken);
};

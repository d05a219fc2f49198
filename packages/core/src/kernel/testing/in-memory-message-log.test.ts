import { errAsync } from 'neverthrow';
import { unavailable } from '../errors.ts';
import { memoryLogServer } from './in-memory-log-storage.ts';
import { inMemoryMessageLog } from './in-memory-message-log.ts';
import { direct, type Io } from './io.ts';
import { messageLogContract } from './message-log.contract.ts';
import { realClock, realIds, realRandom } from './system.ts';

for (const mode of ['full', 'minimal'] as const) {
  const server = memoryLogServer(realClock.nowMs);
  messageLogContract(`memory, ${mode}`, {
    promises: { knownOutcomes: mode === 'full', calmHandover: mode === 'full' },
    open: async () => {
      let dead = false;
      // A log of its own per client: only the server half is shared, as between processes.
      const io: Io = (op, work) => (dead ? errAsync(unavailable('crashed')) : direct(op, work));
      const log = inMemoryMessageLog({
        server,
        io,
        clock: realClock,
        ids: realIds,
        random: realRandom,
        mode,
        leaseTimes: { leaseMs: 1_000, beatMs: 100 },
        settings: { pollMs: 20, retry: { firstMs: 20, factor: 2, maxMs: 500, jitter: 0.2 } },
      });
      return { log, close: () => log.close(), crash: async () => void (dead = true) };
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
      await inMemoryMessageLog({ server, clock: realClock, ids: realIds, random: realRandom }).ensureTopics([
        spec,
      ]);
    },
  });
}

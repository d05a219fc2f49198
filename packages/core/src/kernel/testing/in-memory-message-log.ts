import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import { unavailable } from '../errors.ts';
import { admit, leaseEnded, type PartitionRecords } from '../log/admission.ts';
import { subscribeToGroup, type ConsumerSettings } from '../log/consumer-group.ts';
import { storageReader } from '../log/reader.ts';
import type { LeaseTimes } from '../leases/lease.ts';
import { makeShardLeases } from '../leases/shard-leases.ts';
import type { Clock } from '../ports/clock.port.ts';
import type { Ids } from '../ports/ids.port.ts';
import type { LeaseStore } from '../ports/lease-store.port.ts';
import type { Fence, Fenced, MessageLog, PublishError, ReadError } from '../ports/message-log.port.ts';
import type { Random } from '../ports/random.port.ts';
import { silentTelemetry, type Logger } from '../ports/telemetry.port.ts';
import { inMemoryLeaseStore } from './in-memory-lease-store.ts';
import {
  headOf,
  inMemoryLogStorage,
  memoryLogServer,
  positionKey,
  type MemoryLogServer,
} from './in-memory-log-storage.ts';
import { direct, type Io } from './io.ts';

export type InMemoryLogOptions = {
  readonly server?: MemoryLogServer;
  readonly io?: Io;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  /** `minimal` keeps what Kafka keeps: no fence, publishes with an unknown outcome, lost commits, rebalances out of the blue. */
  readonly mode?: 'full' | 'minimal';
  readonly logger?: Logger;
  readonly leaseTimes?: Partial<LeaseTimes>;
  readonly settings?: Partial<ConsumerSettings>;
};

/** A lease now and then taken away, as a coordinator does for reasons of its own. */
const restless = (store: LeaseStore, random: Random): LeaseStore => ({
  ...store,
  beat: (beat) =>
    store.beat(beat).andThen((view) => {
      const own = view.leases.filter(({ owner }) => owner === beat.member);
      const unlucky = random.below(8) === 0 ? own[random.below(Math.max(1, own.length))] : undefined;
      return unlucky
        ? store.release({ set: beat.set, member: beat.member, held: [unlucky] }).map(() => view)
        : okAsync(view);
    }),
});

const append = (server: MemoryLogServer, admitted: readonly PartitionRecords[]): void => {
  for (const { topic, partition, records } of admitted) {
    const kept = server.topics.get(topic.name)?.partitions[partition];
    for (const { key, value, headers } of kept ? records : []) {
      const position = { log: topic.log, topic: topic.name, partition, offset: headOf(kept!) };
      const timestampMs = server.nowMs();
      kept!.records.push(
        Object.freeze({ key, value: value.slice(), headers: { ...headers }, timestampMs, position }),
      );
    }
  }
  for (const topic of new Set(admitted.map((one) => one.topic.name))) {
    server.arrivals.set(topic, (server.arrivals.get(topic) ?? 0) + 1);
    server.listeners.forEach((heard) => heard(topic));
  }
};
/** False: this sequence is here already, so it is a resend. */
const passFence = (
  server: MemoryLogServer,
  { resource, token, sequence }: Fence,
): Result<boolean, Fenced> => {
  const highest = server.fences.get(resource) ?? { token: 0, sequence: 0 };
  if (token < highest.token) return err({ kind: 'Fenced', resource, token, highestToken: highest.token });
  if (token === highest.token && sequence <= highest.sequence) return ok(false);
  server.fences.set(resource, { token, sequence });
  return ok(true);
};

export const inMemoryMessageLog = (options: InMemoryLogOptions): MessageLog => {
  const {
    server = memoryLogServer(options.clock.nowMs),
    io = direct,
    clock,
    ids,
    random,
    mode = 'full',
    logger = silentTelemetry.logger,
  } = options;
  const minimal = mode === 'minimal';
  const storage = inMemoryLogStorage({ server, io, clock, ...(minimal ? { loseCommitEvery: 5 } : {}) });
  const leaseStore = inMemoryLeaseStore(server.leases, io);
  const leases = makeShardLeases({
    store: minimal ? restless(leaseStore, random) : leaseStore,
    clock,
    ids,
    logger,
    ...(options.leaseTimes ? { times: options.leaseTimes } : {}),
  });
  let published = 0;

  const fenced = (admitted: readonly PartitionRecords[], fence: Fence): ResultAsync<void, PublishError> =>
    io({ name: 'log.publish', args: fence, resendable: true }, () =>
      passFence(server, fence).map((news) => (news ? append(server, admitted) : undefined)),
    );
  /** Stores each partition separately, so that tests cannot rely on an atomic call over several partitions. */
  const unfenced = async (admitted: readonly PartitionRecords[]): Promise<Result<void, PublishError>> => {
    const noAnswer = minimal && ++published % 7 === 0;
    const outcomes = await Promise.all(
      admitted.map((group) => {
        const { topic, partition, records } = group;
        const args = records.map(({ key }) => key);
        return io({ name: 'log.publish', args, lane: `${topic.name}/${partition}` }, () => {
          append(server, [group]);
          return noAnswer ? err(unavailable('log.publish: no answer')) : ok(undefined);
        });
      }),
    );
    return outcomes.find((outcome) => outcome.isErr()) ?? ok(undefined);
  };

  return {
    promises: { fences: !minimal, joinsTransactions: false },
    publish: (records, { fence, isHeld = () => true } = {}) =>
      io({ name: 'log.topics' }, () => admit(records, (name) => server.topics.get(name)?.info)).andThen(
        (admitted): ResultAsync<void, PublishError> => {
          if (!isHeld()) return errAsync(leaseEnded());
          if (fence && !minimal) return fenced(admitted, fence);
          return admitted.length === 0 ? okAsync(undefined) : new ResultAsync(unfenced(admitted));
        },
      ),
    subscribe: (subscribe) =>
      subscribeToGroup(
        {
          storage,
          leases,
          clock,
          random,
          logger,
          ...(options.settings ? { settings: options.settings } : {}),
        },
        subscribe,
      ),
    read: (topic, partition, from) =>
      storage.topic(topic).andThen((info): Result<ReturnType<typeof storageReader>, ReadError> => {
        const kept = server.topics.get(topic)?.partitions[partition];
        if (!kept) return err({ kind: 'UnknownPartition', topic, partition, partitions: info.partitions });
        if (from === 'earliest')
          return ok(storageReader({ storage, clock, pollMs: 250 }, info, partition, kept.base));
        if (from.log !== info.log || from.topic !== topic || from.partition !== partition)
          return err({ kind: 'ForeignPosition', position: from, log: info.log });
        if (from.offset < kept.base || from.offset > headOf(kept))
          return err({ kind: 'PositionGone', position: from, earliest: kept.base, head: headOf(kept) });
        return ok(storageReader({ storage, clock, pollMs: 250 }, info, partition, from.offset));
      }),
    ensureTopics: (specs) =>
      io({ name: 'log.ensureTopics', args: specs.map(({ name }) => name) }, () => {
        for (const { name, partitions } of specs) {
          const known = server.topics.get(name)?.info.partitions ?? partitions;
          if (known !== partitions)
            return err({
              kind: 'TopicMismatch' as const,
              topic: name,
              partitions: known,
              configured: partitions,
            });
        }
        return ok(
          specs.map((spec) => {
            const kept =
              server.topics.get(spec.name)?.partitions ??
              Array.from({ length: spec.partitions }, () => ({ records: [], base: 0 }));
            const info = {
              ...spec,
              log: server.topics.get(spec.name)?.info.log ?? `memory:${++server.lives}`,
              times: 'log' as const,
            };
            server.topics.set(spec.name, { info, partitions: kept });
            return info;
          }),
        );
      }),
    topics: () => io({ name: 'log.topics' }, () => ok([...server.topics.values()].map(({ info }) => info))),
    groups: () =>
      io({ name: 'log.groups' }, () => {
        const seen = new Map(
          [...server.positions.values()].map(({ group, topic }) => [
            JSON.stringify([group, topic]),
            { group, topic },
          ]),
        );
        return ok([...seen.values()]);
      }),
    lag: (group, topic) =>
      io({ name: 'log.lag', args: { group, topic } }, () => {
        const found = server.topics.get(topic);
        if (!found) return err({ kind: 'UnknownTopic' as const, topic });
        return ok(
          found.partitions.map((kept, partition) => {
            const committed = server.positions.get(positionKey(group, topic, partition))?.offset;
            const from = committed ?? kept.base;
            return {
              partition,
              committed,
              head: headOf(kept),
              lag: headOf(kept) - from,
              oldestUnreadAtMs: kept.records[from - kept.base]?.timestampMs,
            };
          }),
        );
      }),
    close: () => Promise.resolve(),
  };
};

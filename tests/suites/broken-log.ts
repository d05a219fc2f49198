import { okAsync } from 'neverthrow';
import type { MessageLog } from '@doska/core/kernel';
import type { MemoryLogServer } from '@doska/core/kernel/testing';
import type { Breakage } from './breakage.ts';
import { handling } from './broken-log-handling.ts';

export type LogPart = 'publishing' | 'handling' | 'sharing';
type BrokenLog = Breakage<MessageLog>;
const publishing: readonly BrokenLog[] = [
  {
    name: 'a publish that turns the order round',
    noticedBy: ['records of one key keep their order within a call'],
    broken: (right) => ({
      ...right,
      publish: (records, options) => right.publish([...records].reverse(), options),
    }),
  },
  {
    name: 'a fence that nothing does not raise',
    noticedBy: ['an empty publish under a fence stores nothing'],
    broken: (right) => ({
      ...right,
      publish: (records, options) =>
        records.length === 0 ? okAsync(undefined) : right.publish(records, options),
    }),
  },
  {
    name: 'a fence that is ignored',
    noticedBy: ['a fence refuses a lower token', 'a known sequence is a resend'],
    broken: (right) => ({ ...right, publish: (records) => right.publish(records) }),
  },
  {
    name: 'a resend that is stored again',
    noticedBy: ['a known sequence is a resend'],
    broken: (right) => {
      let sequence = 0;
      return {
        ...right,
        publish: (records, { fence } = {}) =>
          right.publish(records, fence ? { fence: { ...fence, sequence: ++sequence } } : {}),
      };
    },
  },
  {
    name: 'a refused call of which a part is stored',
    noticedBy: ['an unknown topic refuses the whole call', 'all oversize records are reported'],
    broken: (right) => ({
      ...right,
      publish: (records, options) =>
        right.publish(records.slice(0, 1), options).andThen(() => right.publish(records.slice(1), options)),
    }),
  },
  {
    name: 'keys anywhere',
    noticedBy: ['a key always goes to the partition that its hash selects'],
    broken: (right) => ({
      ...right,
      publish: (records, options) =>
        right.publish(
          records.map((record) => ({ partition: 0, ...record })),
          options,
        ),
    }),
  },
];

const reading: readonly BrokenLog[] = [
  {
    name: 'a reader that jumps over what was pruned',
    noticedBy: ['a pruned position is an error that reports the remaining range'],
    broken: (right) => ({
      ...right,
      read: (topic, partition, from) =>
        right
          .read(topic, partition, from)
          .orElse((error) => right.read(topic, partition, error.kind === 'PositionGone' ? 'earliest' : from)),
    }),
  },
  {
    name: 'a foreign position taken for an own one',
    noticedBy: ['a position of an earlier incarnation of the topic is refused'],
    broken: (right) => ({
      ...right,
      read: (topic, partition, from) =>
        right.topics().andThen((topics) => {
          const log = topics.find(({ name }) => name === topic)?.log ?? '';
          return right.read(topic, partition, from === 'earliest' ? from : { ...from, log });
        }),
    }),
  },
  {
    name: 'a stored position that is one off',
    noticedBy: ['reading from a stored position continues right after the last record'],
    broken: (right) => ({
      ...right,
      read: (topic, partition, from) =>
        right.read(topic, partition, from).map((reader) => ({
          ...reader,
          position: () => ({ ...reader.position(), offset: reader.position().offset + 1 }),
        })),
    }),
  },
];

/** `server` is the durable half behind all clients of the log. */
const sharing = (server: MemoryLogServer): readonly BrokenLog[] => [
  {
    name: 'a group that jumps over what was pruned',
    noticedBy: ['a pruned position ends the subscription with an error'],
    broken: (right) => ({
      ...right,
      subscribe: (options) => {
        for (const [key, position] of server.positions) {
          const base = server.topics.get(position.topic)?.partitions[position.partition]?.base ?? 0;
          if (position.offset < base) server.positions.set(key, { ...position, offset: base });
        }
        return right.subscribe(options);
      },
    }),
  },
  {
    name: 'members that all get everything',
    noticedBy: ['a graceful stop hands partitions over at once'],
    broken: (right) => {
      const own = Math.random();
      return {
        ...right,
        subscribe: (options) => right.subscribe({ ...options, group: `${options.group}-${own}` }),
      };
    },
  },
  {
    name: 'a lag that is always nothing',
    noticedBy: ['lag and the age of the oldest unread record can be read'],
    broken: (right) => ({
      ...right,
      lag: (group, topic) =>
        right
          .lag(group, topic)
          .map((lags) => lags.map((one) => ({ ...one, lag: 0, oldestUnreadAtMs: undefined }))),
    }),
  },
  {
    name: 'a topic that is made anew every time',
    noticedBy: ['a topic that exists with another number of partitions is refused'],
    broken: (right) => ({
      ...right,
      ensureTopics: (specs) => {
        for (const { name } of specs) server.topics.delete(name);
        return right.ensureTopics(specs);
      },
    }),
  },
  {
    name: 'an acknowledgement before the record',
    noticedBy: ['key, value and headers are read back unchanged'],
    broken: (right) => ({
      ...right,
      publish: (records, options) => {
        setTimeout(() => void Promise.resolve(right.publish(records, options)), 300);
        return okAsync(undefined);
      },
    }),
  },
];

/** It is the lease time that makes it so; see the fixture. */
export const NO_TAKEOVER: BrokenLog = {
  name: 'partitions of dead members that are not taken over',
  noticedBy: ["a dead member's partitions are taken over within seconds"],
  broken: (right) => right,
};

/** In parts that take about the same time: each is a file of its own in the run. */
export const brokenLogs = (server: MemoryLogServer): Readonly<Record<LogPart, readonly BrokenLog[]>> => ({
  publishing: [...publishing, ...reading],
  handling,
  sharing: [...sharing(server), NO_TAKEOVER],
});

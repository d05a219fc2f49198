import type { Consumer, Kafka } from 'kafkajs';
import { okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { silentTelemetry, type Logger, type Subscription, type TopicInfo } from '@doska/core/kernel';
import { manualClock, seededRandom } from '@doska/core/kernel/testing';
import type { AdminClient } from '../driver/admin-client.ts';
import { defaultKafkaSettings } from '../settings.ts';
import { subscribeToKafka } from './subscription.ts';

const topic: TopicInfo = {
  name: 't',
  partitions: 1,
  retentionMs: 1,
  recordBytesMax: 1,
  times: 'log',
  log: 'kafka:c:1',
};
type Listener = (event: { readonly payload: unknown }) => void;

/** kafkajs as far as a member sees it; what happens to it is told by hand. */
const fakeKafka = () => {
  const lives: { readonly listeners: Map<string, Listener>; isLeft: boolean }[] = [];
  const consumer = (): Consumer => {
    const life = { listeners: new Map<string, Listener>(), isLeft: false };
    lives.push(life);
    return {
      events: { GROUP_JOIN: 'join', FETCH_START: 'start', FETCH: 'fetch', HEARTBEAT: 'beat', CRASH: 'crash' },
      on: (event: string, listener: Listener) => life.listeners.set(event, listener),
      connect: () => Promise.resolve(),
      subscribe: () => Promise.resolve(),
      run: () => Promise.resolve(),
      disconnect: () => {
        life.isLeft = true;
        return Promise.resolve();
      },
    } as unknown as Consumer;
  };
  const tell = (event: string, payload: unknown = {}): void =>
    lives.at(-1)?.listeners.get(event)?.({ payload });
  return { kafka: { consumer } as Pick<Kafka, 'consumer'>, lives, tell };
};
const subscribe = (kafka: Pick<Kafka, 'consumer'>, stallMs = 1_000) => {
  const { clock, advance } = manualClock();
  const said: string[] = [];
  const logger: Logger = {
    ...silentTelemetry.logger,
    error: (message) => void said.push(message),
    child: () => logger,
  };
  const subscription: Subscription = subscribeToKafka(
    {
      kafka,
      clock,
      logger,
      random: seededRandom(1),
      admin: {} as Pick<AdminClient, 'ask'>,
      topics: { fresh: () => okAsync(topic) },
      settings: { ...defaultKafkaSettings, stallMs },
    },
    { group: 'g', topic: 't', handler: () => Promise.resolve({ kind: 'done' }) },
  );
  return { advance, said, subscription };
};

test('[B7] a silent consumer is ended with an error', async () => {
  const { kafka, lives, tell } = fakeKafka();
  const { advance, said, subscription } = subscribe(kafka);
  for (let beat = 0; beat < 10; beat++) {
    await advance(500);
    tell('beat');
  }
  expect(said).toEqual([]);
  await advance(1_500);
  expect((await subscription.ended)._unsafeUnwrapErr()).toMatchObject({ kind: 'Stalled', topic: 't' });
  expect(said).toEqual(['subscription ended by a failure']);
  expect(lives.every(({ isLeft }) => isLeft)).toBe(true);
});
test('[B7] a crashed consumer is replaced by a new one each time', async () => {
  const { kafka, lives, tell } = fakeKafka();
  const { advance, subscription } = subscribe(kafka, 60_000);
  for (let crash = 1; crash <= 4; crash++) {
    await advance(0);
    expect(lives).toHaveLength(crash);
    tell('crash', { error: new Error('connection lost'), restart: false });
    await advance(5_000);
    tell('beat');
  }
  const stopped = subscription.stop();
  await advance(0);
  await stopped;
  expect((await subscription.ended).isOk()).toBe(true);
  expect(lives.every(({ isLeft }) => isLeft)).toBe(true);
});

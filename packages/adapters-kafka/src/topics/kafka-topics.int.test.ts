import kafkajs, { ConfigResourceTypes, KafkaJSProtocolError, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshTopic, realClock, realRandom } from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { boundsOf } from '../consuming/positions.ts';
import { AdminClient } from '../driver/admin-client.ts';
import { KafkaTopics } from './kafka-topics.ts';

describe.skipIf(noKafka())('topics', () => {
  let brokers: string[];
  let admin: Admin;
  let client: AdminClient;
  beforeAll(async () => {
    brokers = [...(await testBrokers())];
    const kafka = new kafkajs.Kafka({ brokers, logLevel: 0 });
    admin = kafka.admin();
    await admin.connect();
    client = new AdminClient(() => kafka.admin());
  }, 120_000);
  afterAll(async () => {
    await client?.close();
    await admin?.disconnect();
  });
  const topicsOn = (one: Pick<AdminClient, 'ask'>): KafkaTopics =>
    new KafkaTopics({ admin: one, clock: realClock, random: realRandom, replication: 1 });
  const configOf = async (name: string): Promise<Record<string, string>> => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name }],
    });
    return Object.fromEntries(
      resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    );
  };

  test('[K7] an unknown-topic error of createTopics is checked against the broker', async () => {
    const spec = freshTopic(3);
    const unsure = new AdminClient(() => ({
      ...admin,
      connect: () => Promise.resolve(),
      disconnect: () => Promise.resolve(),
      createTopics: async (request) => {
        await admin.createTopics(request);
        throw new KafkaJSProtocolError(
          Object.assign(new Error('This server does not host this topic-partition'), {
            type: 'UNKNOWN_TOPIC_OR_PARTITION',
            code: 3,
            retriable: true,
          }),
        );
      },
    }));
    const [made] = (await topicsOn(unsure).ensure([spec]))._unsafeUnwrap();
    expect(made).toMatchObject(spec);
    expect((await admin.fetchTopicMetadata({ topics: [spec.name] })).topics[0]!.partitions).toHaveLength(3);
  });
  test('[B6] partitions, retention and record size follow the configuration', async () => {
    const spec = { ...freshTopic(5), retentionMs: 123_456_789, recordBytesMax: 300_000 };
    const [made] = (await topicsOn(client).ensure([spec]))._unsafeUnwrap();
    expect(made).toMatchObject(spec);
    expect(await configOf(spec.name)).toMatchObject({
      'retention.ms': '123456789',
      'cleanup.policy': 'delete',
    });
    const changed = { ...spec, retentionMs: 60_000, recordBytesMax: 400_000 };
    const [altered] = (await topicsOn(client).ensure([changed]))._unsafeUnwrap();
    expect(altered).toEqual({ ...changed, log: made!.log, times: 'log' });
    expect(await topicsOn(client).find(spec.name)).toMatchObject({ value: altered });
  });
  test('[B7] a topic that was created again has another identity', async () => {
    const spec = freshTopic(1);
    const life = async (): Promise<string> => (await topicsOn(client).ensure([spec]))._unsafeUnwrap()[0]!.log;
    const first = await life();
    expect(await life()).toBe(first);
    await admin.deleteTopics({ topics: [spec.name] });
    expect(await life()).not.toBe(first);
  });
  test('[K7] a deleted topic does not break later requests of the admin client', async () => {
    const gone = freshTopic(1);
    const next = freshTopic(1);
    (await topicsOn(client).ensure([gone]))._unsafeUnwrap();
    (await boundsOf(client, gone.name))._unsafeUnwrap();
    await admin.deleteTopics({ topics: [gone.name] });
    expect((await topicsOn(client).ensure([next]))._unsafeUnwrap()).toMatchObject([next]);
    expect((await boundsOf(client, next.name))._unsafeUnwrap().get(0)).toEqual({ earliest: 0, head: 0 });
  });
  test('[B6] a topic created by another tool can be used with its own limits', async () => {
    const { name } = freshTopic(2);
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 2 }] });
    const found = (await topicsOn(client).find(name))._unsafeUnwrap();
    expect(found).toMatchObject({
      partitions: 2,
      times: 'publisher',
      log: expect.stringContaining('made-elsewhere'),
    });
    expect(found.recordBytesMax).toBeLessThan(1_048_576);
    expect(found.recordBytesMax).toBeGreaterThan(1_000_000);
  });
  test('[B6] an unreachable broker gives Unavailable, and the failed connection is not reused', async () => {
    let tries = 0;
    const flaky = new AdminClient(() => {
      if (++tries > 1) return new kafkajs.Kafka({ brokers, logLevel: 0 }).admin();
      return new kafkajs.Kafka({ brokers: ['127.0.0.1:1'], logLevel: 0, retry: { retries: 0 } }).admin();
    });
    const topics = topicsOn(flaky);
    expect(await topics.all()).toMatchObject({ error: { kind: 'Unavailable', retryable: true } });
    expect((await topics.all()).isOk()).toBe(true);
    await flaky.close();
  });
});

import kafkajs, { type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe } from 'vitest';
import { messageLogContract } from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { openKafkaLog } from './testing/open-log.ts';

let admin: Admin;
beforeAll(async () => {
  if (noKafka()) return;
  admin = new kafkajs.Kafka({ brokers: [...(await testBrokers())], logLevel: 0 }).admin();
  await admin.connect();
}, 120_000);
afterAll(() => admin?.disconnect());

describe.skipIf(noKafka())('on a real broker', () => {
  messageLogContract('Apache Kafka', {
    promises: { knownOutcomes: true, calmHandover: false },
    open: async () => {
      const { log, close, cut } = openKafkaLog(await testBrokers());
      return { log, close, crash: cut };
    },
    publishDated: async ({ topic, key, value }, atMs) => {
      const producer = new kafkajs.Kafka({ brokers: [...(await testBrokers())], logLevel: 0 }).producer();
      await producer.connect();
      await producer.send({
        topic,
        messages: [{ key, value: Buffer.from(value), timestamp: String(atMs) }],
      });
      await producer.disconnect();
    },
    prune: async (topic) => {
      const offsets = await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({
        topic,
        partitions: offsets
          .filter(({ high, low }) => Number(high) - 1 > Number(low))
          .map(({ partition, high }) => ({ partition, offset: String(Number(high) - 1) })),
      });
    },
    recreate: async (spec) => {
      await admin.deleteTopics({ topics: [spec.name] });
      const { log, close } = openKafkaLog(await testBrokers());
      (await log.ensureTopics([spec]))._unsafeUnwrap();
      await close();
    },
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { kafkaMessageLog } from '@doska/adapters-kafka';
import { silentTelemetry, type Clock, type LogRecord, type MessageLog } from '@doska/core/kernel';
import { Kafka, type Consumer, type Producer } from 'kafkajs';
import { runBench, type Measured } from './harness.ts';
import { benchKafka } from './kafka-broker.ts';

/**
 * The adapter against plain kafkajs that does the same safe work: idempotent, acks of all replicas, one send in flight,
 * 500 records a send; consumed in batches with a commit after each. Records of 1 KiB over 3 partitions.
 */
const RECORDS = 60_000;
const SEND = 500;
const PARTITIONS = 3;
const LATENCY_RECORDS = 400;

const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
const broker = await benchKafka();
const kafka = new Kafka({ brokers: [broker.address], logLevel: 0 });
const log: MessageLog = kafkaMessageLog({
  connection: { brokers: [broker.address] },
  clock,
  ids: { next: () => randomUUID() },
  logger: silentTelemetry.logger,
  random: { below: (n) => Math.floor(Math.random() * n) },
});
const admin = kafka.admin();
await admin.connect();

const values = Array.from({ length: 1_000 }, () => Buffer.from(randomBytes(512).toString('hex')));
const keys = Array.from({ length: 997 }, (_, n) => `offer-${n}`);
const keyOf = (n: number): string => keys[n % keys.length] ?? '';
const valueOf = (n: number): Buffer => values[n % values.length] ?? Buffer.alloc(0);
const batches = Array.from({ length: RECORDS / SEND }, (_, b) =>
  Array.from({ length: SEND }, (__, n) => b * SEND + n),
);

const freshTopic = async (): Promise<string> => {
  const name = `bench-${randomUUID()}`;
  const made = await log.ensureTopics([
    { name, partitions: PARTITIONS, retentionMs: 3_600_000, recordBytesMax: 1 << 20 },
  ]);
  if (made.isErr()) throw new Error(JSON.stringify(made.error));
  return name;
};
const dropTopic = async (name: string): Promise<void> => admin.deleteTopics({ topics: [name] });
const stored = async (topic: string): Promise<number> =>
  (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
const rate = async (work: () => Promise<void>): Promise<number> => {
  const began = performance.now();
  await work();
  return RECORDS / ((performance.now() - began) / 1_000);
};

const measurePublish = async (publish: (topic: string) => Promise<void>): Promise<Measured> => {
  const topic = await freshTopic();
  const value = await rate(() => publish(topic));
  const count = await stored(topic);
  if (count !== RECORDS) throw new Error(`${count} records stored instead of ${RECORDS}`);
  await dropTopic(topic);
  return { value };
};
const plainProducer = (): Producer =>
  kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner:
      () =>
      ({ message }) =>
        hashed(message.key?.toString() ?? '') % PARTITIONS,
    retry: { retries: 8 },
  });
/** A cheap hash of the key, as any user of kafkajs has one. */
const hashed = (key: string): number => {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) >>> 0;
  return hash;
};
const publishPlain = async (topic: string): Promise<void> => {
  const producer = plainProducer();
  await producer.connect();
  for (const batch of batches)
    await producer.send({
      topic,
      acks: -1,
      messages: batch.map((n) => ({ key: keyOf(n), value: valueOf(n) })),
    });
  await producer.disconnect();
};
/** Callers as an app has them: each batch is published when there is room for it, none waits for another. */
const publishAdapter = async (topic: string): Promise<void> => {
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let batch = batches[next++]; batch; batch = batches[next++]) {
      const records = batch.map((n): LogRecord => ({ topic, key: keyOf(n), value: valueOf(n) }));
      const sent = await log.publish(records);
      if (sent.isErr()) throw new Error(JSON.stringify(sent.error));
    }
  };
  await Promise.all([caller(), caller(), caller(), caller()]);
};

/** Consuming is quicker than publishing, so there is more of it: a round takes about a second. */
const FULL_TIMES = 3;
const CONSUMED = RECORDS * FULL_TIMES;
const full = await freshTopic();
for (let time = 0; time < FULL_TIMES; time++) await publishAdapter(full);

const consumePlain = async (): Promise<Measured> => {
  const consumer: Consumer = kafka.consumer({
    groupId: `plain-${randomUUID()}`,
    maxBytesPerPartition: 1 << 20,
    maxWaitTimeInMs: 100,
  });
  let seen = 0;
  let bytes = 0;
  let beganMs = 0;
  await consumer.connect();
  await consumer.subscribe({ topic: full, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, resolveOffset, commitOffsetsIfNecessary, heartbeat }) => {
          beganMs ||= performance.now();
          for (const { key, value } of batch.messages)
            bytes += (key?.toString().length ?? 0) + (value?.length ?? 0);
          seen += batch.messages.length;
          const last = batch.lastOffset();
          resolveOffset(last);
          const offset = String(Number(last) + 1);
          await commitOffsetsIfNecessary({
            topics: [{ topic: batch.topic, partitions: [{ partition: batch.partition, offset }] }],
          });
          await heartbeat();
          if (seen >= CONSUMED) resolve();
        },
      })
      .catch(reject);
  });
  const value = CONSUMED / ((performance.now() - beganMs) / 1_000);
  await consumer.disconnect();
  if (bytes < CONSUMED * 1_024) throw new Error('bytes are missing');
  return { value };
};
const consumeAdapter = async (): Promise<Measured> => {
  let seen = 0;
  let bytes = 0;
  let beganMs = 0;
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => (finish = resolve));
  const subscription = log.subscribe({
    group: `adapter-${randomUUID()}`,
    topic: full,
    handler: ({ records }) => {
      beganMs ||= performance.now();
      for (const { key, value } of records) bytes += key.length + value.length;
      seen += records.length;
      if (seen >= CONSUMED) finish();
      return Promise.resolve({ kind: 'done' });
    },
  });
  await done;
  const value = CONSUMED / ((performance.now() - beganMs) / 1_000);
  await subscription.stop();
  if (bytes < CONSUMED * 1_024) throw new Error('bytes are missing');
  return { value };
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
/** One record at a time through an idle log, from `publish` to its handler. The value is how many a second that makes. */
const endToEnd = async (): Promise<Measured> => {
  const topic = await freshTopic();
  const waiting = new Map<string, () => void>();
  const subscription = log.subscribe({
    group: `latency-${randomUUID()}`,
    topic,
    handler: ({ records }) => {
      for (const { key } of records) waiting.get(key)?.();
      return Promise.resolve({ kind: 'done' });
    },
  });
  const send = async (key: string): Promise<number> => {
    const began = performance.now();
    const came = new Promise<void>((resolve) => waiting.set(key, resolve));
    const sent = await log.publish([{ topic, key, value: valueOf(1) }]);
    if (sent.isErr()) throw new Error(JSON.stringify(sent.error));
    await came;
    return performance.now() - began;
  };
  for (let n = 0; n < 20; n++) await send(`warm-${n}`);
  const tookMs: number[] = [];
  for (let n = 0; n < LATENCY_RECORDS; n++) tookMs.push(await send(`k-${n}`));
  await subscription.stop();
  await dropTopic(topic);
  const sorted = tookMs.toSorted((a, b) => a - b);
  const p50 = percentile(sorted, 0.5);
  const p99 = percentile(sorted, 0.99);
  return { value: 1_000 / p50, figures: { p50_ms: p50, p99_ms: p99 } };
};

console.log(`Apache Kafka ${broker.version}`);
try {
  await runBench({
    name: 'kafka',
    unit: 'records/s',
    variants: [
      { name: 'publish-adapter', run: () => measurePublish(publishAdapter) },
      { name: 'publish-plain', run: () => measurePublish(publishPlain) },
      { name: 'consume-adapter', run: consumeAdapter },
      { name: 'consume-plain', run: consumePlain },
      { name: 'end-to-end', run: endToEnd },
    ],
    ratios: [
      { name: 'publish', subject: 'publish-adapter', baseline: 'publish-plain', goal: 0.9 },
      { name: 'consume', subject: 'consume-adapter', baseline: 'consume-plain', goal: 0.9 },
    ],
  });
} finally {
  await log.close();
  await admin.disconnect();
  await broker.stop();
}

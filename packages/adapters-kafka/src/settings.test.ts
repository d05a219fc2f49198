import { expect, test } from 'vitest';
import { consumerConfig, defaultKafkaSettings, producerConfig } from './settings.ts';

test('[K8] a fetch is short, because a stop waits for it, and returns the first byte at once', () => {
  const config = consumerConfig('g', defaultKafkaSettings);
  expect(config.maxWaitTimeInMs).toBeLessThanOrEqual(100);
  expect(config.minBytes).toBe(1);
});
test('[K1] [K6] a producer is idempotent, has one request in flight and no transaction', () => {
  const config = producerConfig(defaultKafkaSettings);
  expect(config).toMatchObject({ idempotent: true, maxInFlightRequests: 1 });
  expect(config.transactionalId).toBeUndefined();
});
test('[K5] a send has at least one retry and a limit of retries', () => {
  expect(producerConfig(defaultKafkaSettings).retry?.retries).toBe(defaultKafkaSettings.sendRetries);
  expect(defaultKafkaSettings.sendRetries).toBeGreaterThanOrEqual(1);
  expect(defaultKafkaSettings.sendRetries * defaultKafkaSettings.producersMax).toBeLessThan(100);
});
test('[B6] no client creates a topic by accident', () => {
  expect(producerConfig(defaultKafkaSettings).allowAutoTopicCreation).toBe(false);
  expect(consumerConfig('g', defaultKafkaSettings).allowAutoTopicCreation).toBe(false);
});
test('[B7] a crashed consumer is replaced by the adapter, not restarted by kafkajs', async () => {
  const { retry } = consumerConfig('g', defaultKafkaSettings);
  expect(await retry?.restartOnFailure?.(new Error('any'))).toBe(false);
});

import { readFileSync } from 'node:fs';
import type { KafkaConnection, KafkaSettings } from '@doska/adapters-kafka';
import type { Config } from '../config/config.ts';

/** Brokers refuse shorter sessions by default. */
const SESSION_MS_MIN = 6_000;

/** Brokers, TLS and login. */
export const kafkaConnection = (config: Config): KafkaConnection => {
  const { kafkaBrokers = '', kafkaTls, kafkaCaFile, kafkaSasl, kafkaUser = '', kafkaPassword = '' } = config;
  const isTls = kafkaTls ?? kafkaCaFile !== undefined;
  return {
    brokers: kafkaBrokers.split(','),
    ...(isTls ? { ssl: kafkaCaFile === undefined ? true : { ca: [readFileSync(kafkaCaFile, 'utf8')] } } : {}),
    ...(kafkaSasl === undefined
      ? {}
      : { sasl: { mechanism: kafkaSasl as 'plain', username: kafkaUser, password: kafkaPassword } }),
  };
};

export const kafkaSettings = (config: Config): Partial<KafkaSettings> => ({
  lanes: config.kafkaLanes,
  compression: config.kafkaCompression,
  replication: config.kafkaReplication,
  sessionMs: Math.max(SESSION_MS_MIN, config.leaseMs),
  heartbeatMs: config.heartbeatMs,
  drainMs: config.stopMs,
});

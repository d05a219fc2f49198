import { z } from 'zod';
import { setting, wholeNumber, yesOrNo } from '../setting.ts';

/** Which message log to use, and how to connect to Kafka. */
export const kafkaSettings = {
  log: setting(
    'DOSKA_LOG',
    z.enum(['postgres', 'kafka']).default('postgres'),
    'The message log: `postgres` uses the same database, `kafka` your Apache Kafka.',
  ),
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    z
      .string()
      .regex(/^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/, 'host:port, several with commas between them')
      .optional(),
    'Brokers of your Kafka, `host:port,host:port`. The client discovers the other brokers of the cluster.',
  ),
  kafkaTls: setting('DOSKA_KAFKA_TLS', yesOrNo.optional(), 'Connect to Kafka with TLS.', {
    otherwise: 'yes with DOSKA_KAFKA_CA_FILE, else no',
  }),
  kafkaCaFile: setting(
    'DOSKA_KAFKA_CA_FILE',
    z.string().min(1).optional(),
    'A PEM file with the certificate authority of Kafka.',
    { otherwise: 'the authorities of Node' },
  ),
  kafkaSasl: setting(
    'DOSKA_KAFKA_SASL',
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    'The SASL mechanism. It needs DOSKA_KAFKA_USER and DOSKA_KAFKA_PASSWORD.',
  ),
  kafkaUser: setting('DOSKA_KAFKA_USER', z.string().min(1).optional(), 'The user name for Kafka.'),
  kafkaPassword: setting('DOSKA_KAFKA_PASSWORD', z.string().min(1).optional(), 'The password for Kafka.', {
    secret: true,
  }),
  kafkaCompression: setting(
    'DOSKA_KAFKA_COMPRESSION',
    z.enum(['none', 'gzip']).default('none'),
    'The compression of batches that are sent to Kafka.',
  ),
  kafkaReplication: setting(
    'DOSKA_KAFKA_REPLICATION',
    wholeNumber(1, 15).default(1),
    'Replicas of a new topic. Use 3 on a cluster: an acknowledged record then has at least two copies.',
  ),
  kafkaLanes: setting(
    'DOSKA_KAFKA_LANES',
    wholeNumber(1, 64).default(2),
    'Kafka producers per process. Each sends one batch at a time; all records of a key use the same producer.',
  ),
};

import { z } from 'zod';
import { setting, wholeNumber, yesOrNo } from '../setting.ts';

/** Which message log, and how to reach it. */
export const kafkaSettings = {
  log: setting(
    'DOSKA_LOG',
    z.enum(['postgres', 'kafka']).default('postgres'),
    'Which message log: `postgres` keeps it in the same database, `kafka` is your Apache Kafka.',
  ),
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    z
      .string()
      .regex(/^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/, 'host:port, several with commas between them')
      .optional(),
    'Some brokers of your Kafka, `host:port,host:port`; the others are found by them.',
  ),
  kafkaTls: setting('DOSKA_KAFKA_TLS', yesOrNo.optional(), 'Talk to Kafka over TLS.'),
  kafkaCaFile: setting(
    'DOSKA_KAFKA_CA_FILE',
    z.string().min(1).optional(),
    'A PEM file with the authority that Kafka is certified by; without it the system knows.',
  ),
  kafkaSasl: setting(
    'DOSKA_KAFKA_SASL',
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    'How to log in at Kafka, with DOSKA_KAFKA_USER and DOSKA_KAFKA_PASSWORD.',
  ),
  kafkaUser: setting('DOSKA_KAFKA_USER', z.string().min(1).optional(), 'The user at Kafka.'),
  kafkaPassword: setting('DOSKA_KAFKA_PASSWORD', z.string().min(1).optional(), "That user's password.", {
    secret: true,
  }),
  kafkaCompression: setting(
    'DOSKA_KAFKA_COMPRESSION',
    z.enum(['none', 'gzip']).default('none'),
    'How batches are compressed on their way to Kafka and there.',
  ),
  kafkaReplication: setting(
    'DOSKA_KAFKA_REPLICATION',
    wholeNumber(1, 15).default(1),
    'Replicas of a topic that is made at Kafka: 3 on a cluster, whose acknowledgement then means two copies.',
  ),
  kafkaLanes: setting(
    'DOSKA_KAFKA_LANES',
    wholeNumber(1, 64).default(2),
    'Producers of a process; each has one send on its way, a key always goes by the same one.',
  ),
};

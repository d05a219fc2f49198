import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { kafkaConnection, kafkaSettings } from './kafka-options.ts';

const configOf = (env: Record<string, string>) =>
  loadConfig(
    { DOSKA_LOG: 'kafka', KAFKA_BROKERS: 'a.example:9092,b.example:9093', ...env },
    [],
  )._unsafeUnwrap().config;

test('[B15] without TLS and login, only the brokers are passed on', () => {
  expect(kafkaConnection(configOf({}))).toEqual({ brokers: ['a.example:9092', 'b.example:9093'] });
});
test('[B15] TLS and a login are passed on', () => {
  const caFile = join(mkdtempSync(join(tmpdir(), 'doska-kafka-')), 'ca.pem');
  writeFileSync(caFile, 'an authority');
  expect(
    kafkaConnection(
      configOf({
        DOSKA_KAFKA_CA_FILE: caFile,
        DOSKA_KAFKA_SASL: 'scram-sha-512',
        DOSKA_KAFKA_USER: 'doska',
        DOSKA_KAFKA_PASSWORD: 'secret',
      }),
    ),
  ).toMatchObject({
    ssl: { ca: ['an authority'] },
    sasl: { mechanism: 'scram-sha-512', username: 'doska', password: 'secret' },
  });
  expect(kafkaConnection(configOf({ DOSKA_KAFKA_TLS: 'yes' })).ssl).toBe(true);
});
test('[B15] compression, replication and lanes are configuration; a session is never shorter than brokers allow', () => {
  const env = { DOSKA_KAFKA_COMPRESSION: 'gzip', DOSKA_KAFKA_REPLICATION: '3', DOSKA_KAFKA_LANES: '4' };
  expect(kafkaSettings(configOf(env))).toMatchObject({ compression: 'gzip', replication: 3, lanes: 4 });
  expect(kafkaSettings(configOf({ DOSKA_LEASE_MS: '3000' })).sessionMs).toBe(6_000);
});

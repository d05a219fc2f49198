import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KafkaConnection } from '../index.ts';

const PASSWORD = 'only-for-this-test';

/** A broker that speaks TLS only and wants a login: its settings, and what a client must show. */
export const secureBroker = (
  dir: string,
): {
  readonly settings: Readonly<Record<string, string>>;
  readonly connection: Pick<KafkaConnection, 'ssl' | 'sasl'>;
} => {
  mkdirSync(dir, { recursive: true });
  const keyStore = join(dir, 'broker.p12');
  const certificate = join(dir, 'broker.pem');
  const store = ['-alias', 'broker', '-keystore', keyStore, '-storetype', 'PKCS12', '-storepass', PASSWORD];
  const keytool = (...args: readonly string[]): void =>
    void execFileSync('keytool', [...args, ...store], { stdio: 'ignore' });
  keytool(
    '-genkeypair',
    '-keyalg',
    'RSA',
    '-dname',
    'CN=localhost',
    '-ext',
    'san=ip:127.0.0.1',
    '-validity',
    '2',
  );
  keytool('-exportcert', '-rfc', '-file', certificate);
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  return {
    settings: {
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_SSL',
      'sasl.enabled.mechanisms': 'PLAIN',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.plaintext.plain.sasl.jaas.config': `${login} required username="doska" password="${PASSWORD}" user_doska="${PASSWORD}";`,
      'ssl.keystore.location': keyStore,
      'ssl.keystore.password': PASSWORD,
      'ssl.keystore.type': 'PKCS12',
      'ssl.truststore.location': keyStore,
      'ssl.truststore.password': PASSWORD,
      'ssl.truststore.type': 'PKCS12',
    },
    connection: {
      ssl: { ca: [readFileSync(certificate, 'utf8')] },
      sasl: { mechanism: 'plain', username: 'doska', password: PASSWORD },
    },
  };
};

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import type { TestProject } from 'vitest/node';
import { endBroker, freePort, startBroker } from '../../scripts/parts/kafka-broker.mjs';
import { missingForKafka } from '../../scripts/parts/kafka-jars.mjs';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The broker of this run; empty when there can be none here. `tests/setup/broker.ts` is what tests use. */
    kafkaBrokers: string;
  }
}

const PREFIX = 'doska-test-kafka-';
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The folders of runs that were killed: their brokers are gone by their guardians, their names tell the dead pid. */
const sweep = (): void => {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    const dir = join(tmpdir(), name);
    try {
      if (statSync(dir).uid === process.getuid?.()) process.kill(pid, 0);
    } catch (cause) {
      if ((cause as { code?: string }).code === 'ESRCH') rmSync(dir, { recursive: true, force: true });
    }
  }
};

const given = async (brokers: string): Promise<void> => {
  const admin = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: 0 }).admin();
  await admin.connect();
  const { brokers: nodes, clusterId } = await admin.describeCluster();
  await admin.disconnect();
  say(`Kafka: the given cluster ${clusterId}, ${nodes.length} broker(s) at ${brokers}`);
};

/**
 * One broker for the whole run, started beside everything else: tests that need it wait for it. Without Java or Maven
 * its tests are skipped on a laptop, loudly, and the run fails in CI. When the run is killed, a guardian ends it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const brokers = process.env['DOSKA_TEST_KAFKA_BROKERS'] ?? '';
  if (brokers !== '') {
    await given(brokers);
    project.provide('kafkaBrokers', brokers);
    return () => Promise.resolve();
  }
  const missing = missingForKafka();
  if (missing.length > 0) {
    const words = `${missing.join(' and ')} not found, so there is no Kafka broker to test on`;
    if (process.env['CI'] === 'true') throw new Error(`${words}; under CI=true that is a failure`);
    say(`\nSKIPPED: every test that needs Kafka: ${words}.\n`);
    project.provide('kafkaBrokers', '');
    return () => Promise.resolve();
  }
  sweep();
  const dir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const port = await freePort();
  const controllerPort = await freePort();
  project.provide('kafkaBrokers', `127.0.0.1:${port}`);
  const starting = startBroker({ dir, port, controllerPort, guarded: true }).then(
    ({ version, readyMs }) => say(`Kafka: Apache Kafka ${version} for this run, ready in ${readyMs} ms`),
    (cause: unknown) => say(`Kafka: the broker of this run did not start: ${String(cause)}`),
  );
  return async () => {
    await starting;
    await endBroker(dir, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
}

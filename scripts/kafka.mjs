#!/usr/bin/env node
/** A private one-node Apache Kafka for development, from Maven's jars: no installation, no containers. */
import { rmSync } from 'node:fs';
import { endBroker, portOf, runningBroker, startBroker } from './parts/kafka-broker.mjs';
import { missingForKafka } from './parts/kafka-jars.mjs';
import { KAFKA_VERSION } from './parts/kafka-settings.mjs';
import { withLock } from './parts/lock.mjs';
import { command, inRoot, say, seconds, Stop } from './parts/terminal.mjs';

const HELP = `
npm run kafka -- up       starts Apache Kafka ${KAFKA_VERSION} on 127.0.0.1:19092 and waits until it is ready
npm run kafka -- down     stops it; its data stay
npm run kafka -- kill     ends it with kill -9
npm run kafka -- status   says whether it runs and where; the exit code is 0 if it does
npm run kafka -- wipe     stops it and removes its data
Needs Java 17 and, the first time, Maven. KAFKA_PORT is another port (it and the next one are used), KAFKA_HEAP another
heap than 256m. Everything is in .cache/kafka.`;

const PORT = Number(process.env.KAFKA_PORT ?? 19_092);
const dir = inRoot(`.cache/kafka/run-${PORT}`);

const up = async () => {
  const running = await runningBroker(dir);
  if (running > 0) return console.log(`already up, pid ${running}, KAFKA_BROKERS=127.0.0.1:${portOf(dir)}`);
  const missing = missingForKafka();
  if (missing.length > 0)
    throw new Stop(`Not installed: ${missing.join(' and ')}. KAFKA_BROKERS can name a broker of yours.`);
  const { pid, address, version, readyMs } = await startBroker({ dir, port: PORT, controllerPort: PORT + 1 });
  console.log(`up in ${readyMs} ms: Apache Kafka ${version}, pid ${pid}, KAFKA_BROKERS=${address}`);
};
const down = async (signal) => {
  const began = Date.now();
  console.log((await endBroker(dir, signal)) ? `down in ${seconds(began)}` : 'not running');
};
const status = async () => {
  const pid = await runningBroker(dir);
  console.log(pid > 0 ? `up, pid ${pid}, KAFKA_BROKERS=127.0.0.1:${portOf(dir)}` : 'down');
  return pid > 0 ? 0 : 1;
};

const COMMANDS = {
  up,
  down: () => down('SIGTERM'),
  kill: () => down('SIGKILL'),
  status,
  wipe: async () => {
    await down('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  },
};

await command(HELP, async ([name]) => {
  const work = COMMANDS[name];
  if (work === undefined) throw new Stop(HELP.trim(), 64);
  if (name === 'status') return work();
  const wait = (pid) => say(`Process ${pid} is busy with the broker; waiting for it …`);
  return withLock(inRoot(`.cache/kafka/run-${PORT}.lock`), wait, work);
});

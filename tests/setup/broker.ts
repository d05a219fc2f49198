import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { missingForKafka } from '../../scripts/parts/kafka-jars.mjs';

const WAIT_MS = 120_000;
const isUp = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** True where the setup found neither a broker nor the means to start one; it has said so. */
export const noKafka = (): boolean => inject('kafkaBrokers') === '';

/** The brokers of this run, once they answer. */
export const testBrokers = async (): Promise<readonly string[]> => {
  const brokers = inject('kafkaBrokers').split(',');
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await pause(100))
    if (await isUp(brokers[0] ?? '')) return brokers;
  throw new Error(`the broker at ${brokers.join(',')} did not come up`);
};

/** Where a broker of a test's own, to be killed, can't be started; given brokers are never harmed. */
export const noOwnBroker = (): boolean => missingForKafka().length > 0;

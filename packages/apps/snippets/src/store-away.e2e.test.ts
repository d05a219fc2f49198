import { setTimeout as pause } from 'node:timers/promises';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { startOwnPostgres } from '@doska/test-setup/own-postgres';
import { expect, test } from 'vitest';
import { snippetsUnderLoad } from './testing/snippets-under-load.ts';

const AWAY_MS = process.env['DOSKA_TEST_LONG'] ? 30_000 : 5_000;

test.skipIf(noKafka())(
  '[F8] [F9] the store is away while clients write and a topic goes on: PUTs are refused as unavailable, nothing is lost, and the app recovers by itself',
  async () => {
    const postgres = await startOwnPostgres();
    const system = await snippetsUnderLoad(postgres.url, {
      DOSKA_LOG: 'kafka',
      KAFKA_BROKERS: (await testBrokers()).join(','),
    });
    try {
      await system.goesOn();
      await postgres.stop();
      await pause(AWAY_MS);
      expect([...system.statuses()].filter((status) => status !== 200)).toEqual([503]);
      const begin = performance.now();
      await postgres.start();
      await system.goesOn();
      const recoveredMs = Math.round(performance.now() - begin);
      await system.expectAll();
      const wholeMs = Math.round(performance.now() - begin);
      console.log(
        `The store was away for ${AWAY_MS} ms: PUTs go on after ${recoveredMs} ms, everything is there after ${wholeMs} ms`,
      );
      expect(system.app.isAlive()).toBe(true);
    } finally {
      await system.stop();
      await postgres.drop();
    }
  },
  240_000,
);

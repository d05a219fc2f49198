import type { Environment } from '@doska/app-composition';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { freshDatabase } from '@doska/test-setup/database';
import { describe, test } from 'vitest';
import { snippetsUnderLoad } from './testing/snippets-under-load.ts';

const KILLS = 3;

const survives = async (settings: Environment): Promise<void> => {
  const database = await freshDatabase({ max: 4 });
  const system = await snippetsUnderLoad(database.url, settings);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await system.goesOn();
      await system.app.kill();
      await system.app.start();
    }
    await system.expectAll();
  } finally {
    await system.stop();
    await database.drop();
  }
};

describe('kill -9 under load', () => {
  test(
    '[F9] [F8] every acknowledged PUT is there, and every record of a topic is stored or a dead letter',
    () => survives({}),
    240_000,
  );
  test.skipIf(noKafka())(
    '[F9] [F8] the same on Kafka',
    async () => survives({ DOSKA_LOG: 'kafka', KAFKA_BROKERS: (await testBrokers()).join(',') }),
    240_000,
  );
});

/** Publishes until it is killed and says which numbers were acknowledged; killed from outside. argv: database url, topic. */
import { createPool, pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry } from '@doska/core/kernel';
import { realClock, realIds, realRandom } from './system.mjs';

const [url, topic] = process.argv.slice(2);
const pool = createPool({ url, max: 4, applicationName: 'doska-test-child' });
const log = pgMessageLog({
  url,
  pool,
  clock: realClock,
  ids: realIds,
  random: realRandom,
  logger: silentTelemetry.logger,
});
const callers = Array.from({ length: 8 }, async (_, caller) => {
  for (let n = 0; ; n++) {
    const value = new TextEncoder().encode(`${caller}:${n}`);
    const sent = await log.publish([{ topic, key: `caller-${caller}`, value }]);
    if (sent.isOk()) process.stdout.write(`${caller}:${n}\n`);
  }
});
await Promise.all(callers);

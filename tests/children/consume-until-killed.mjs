/** A member of a group that says what it handled; killed from outside. argv: database url, topic, group. */
import { createPool, pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry } from '@doska/core/kernel';
import { realClock, realIds, realRandom } from './system.mjs';

const [url, topic, group] = process.argv.slice(2);
const pool = createPool({ url, max: 4, applicationName: 'doska-test-child' });
const leaseTimes = { leaseMs: 1_500, beatMs: 150 };
const log = pgMessageLog({
  url,
  pool,
  clock: realClock,
  ids: realIds,
  random: realRandom,
  logger: silentTelemetry.logger,
  leaseTimes,
});
const subscription = log.subscribe({
  group,
  topic,
  handler: async ({ records }) => {
    for (const { value } of records) process.stdout.write(`${new TextDecoder().decode(value)}\n`);
    return { kind: 'done' };
  },
});
await subscription.ended;

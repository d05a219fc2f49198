import {
  inMemoryMessageLog,
  memoryLogServer,
  realClock,
  realIds,
  realRandom,
} from '@doska/core/kernel/testing';
import { databaseOn } from './gost/databases.ts';
import { numberOption, runBench } from './harness.ts';
import { benchPostgres } from './postgres.ts';
import { vasgenOn } from './vasgen/product.ts';
import { inBatches, limit, registryOf, singly, stale, stocked, streamed } from './vasgen/receive.ts';

/** `--docs N`: how many the large registry of `receiver_growth_10k_1M` has. */
const million = numberOption(process.argv.slice(2), '--docs', 1_000_000);
const SMALL = 10_000;

const server = await benchPostgres();
const log = inMemoryMessageLog({
  server: memoryLogServer(realClock.nowMs),
  clock: realClock,
  ids: realIds,
  random: realRandom,
});
const open = async (name: string) => {
  const database = await databaseOn(server.url, name);
  const vasgen = await vasgenOn(database.pool, log);
  return { ...database, vasgen, receive: vasgen.useCases.receiveDocuments };
};
const plain = await open('plain');
const few = await open('few');
const many = await open('many');
await plain.pool.query(
  `insert into vasgen.epoch (client, epoch, state, schema_number, schema) values ('limit', 1, 1, 0, '{}')`,
);
await stocked(plain.receive);
for (const [one, count] of [
  [few, SMALL],
  [many, million],
] as const) {
  await stocked(one.receive, 1_000);
  console.log(`making ${count} documents …`);
  await registryOf(one.pool, count);
}
const stream = await streamed(plain.receive);

/** `limit`: pgbench, a document a transaction, sixteen at a time. */
try {
  for (const warm of [inBatches, singly, stale]) await warm(plain.receive);
  await runBench({
    name: 'receiver',
    unit: 'documents/s',
    variants: [
      { name: 'limit', run: () => limit(plain.pool, plain.url) },
      { name: 'batch_500', run: () => inBatches(plain.receive) },
      { name: 'callers_64', run: () => singly(plain.receive) },
      { name: 'stale', run: () => stale(plain.receive) },
      { name: 'grpc', run: () => stream.run() },
      { name: 'growth_10k', run: () => inBatches(few.receive, SMALL) },
      { name: 'growth_1M', run: () => inBatches(many.receive, million) },
    ],
    ratios: [
      { name: 'receiver_batch_500', subject: 'batch_500', baseline: 'limit', goal: 1.5, stretch: 3 },
      { name: 'receiver_64_callers', subject: 'callers_64', baseline: 'limit', goal: 1, stretch: 1.4 },
      { name: 'receiver_stale', subject: 'stale', baseline: 'batch_500', goal: 1.5, stretch: 2.5 },
      { name: 'receiver_stream', subject: 'grpc', baseline: 'batch_500', goal: 0.6, stretch: 0.8 },
      {
        name: 'receiver_growth_10k_1M',
        subject: 'growth_10k',
        baseline: 'growth_1M',
        goal: 1.3,
        stretch: 1.1,
        isCost: true,
      },
    ],
  });
} finally {
  await stream.stop();
  for (const { vasgen, pool } of [plain, few, many]) {
    await vasgen.close();
    await pool.end();
  }
  await log.close();
  await server.stop();
}

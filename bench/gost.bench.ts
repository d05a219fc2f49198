import { drain, drainByServer, drainLate, drainOneShard, drainUnderSnapshot } from './gost/drain.ts';
import { databaseOn } from './gost/databases.ts';
import { grpcReads } from './gost/grpc-read.ts';
import { bareOn, productOn, type BenchStores } from './gost/product.ts';
import { limitOfReads, readById, readPages } from './gost/read.ts';
import { edits, mixed, saveInFifties, saveSingly } from './gost/save.ts';
import { limitOfEdits, limitOfMixed } from './gost/save-limit.ts';
import { makeStock, type Stock } from './gost/stock.ts';
import { numberOption, runBench, type Bench } from './harness.ts';
import { benchPostgres } from './postgres.ts';

/** `--offers N`: how many the large stock of `growth_10k_1M` has. `--only PREFIX`: variants and ratios that begin so. */
const args = process.argv.slice(2);
const million = numberOption(args, '--offers', 1_000_000);
const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').split(',') : [''];

/** pgbench writes versions that the heads' bytes do not have: it gets offers of its own in the same tables. */
const ours: Stock = { first: 1_000_000_000_000, count: 20_000 };
/** Which of them are hidden is remembered over all rounds. */
const mixedOnes: Stock = { first: 3_000_000_000_000, count: 20_000 };
const pgbenchs: Stock = { first: 2_000_000_000_000, count: 20_000 };
const small: Stock = { first: 1_000_000_000_000, count: 10_000 };
const large: Stock = { first: 1_000_000_000_000, count: million };

const server = await benchPostgres();
const { url, pool } = await databaseOn(server.url, 'plain');
const few = await databaseOn(server.url, 'few');
const many = await databaseOn(server.url, 'many');
const wants = (name: string): boolean => only.some((prefix) => name.startsWith(prefix));
for (const stock of [ours, mixedOnes, pgbenchs]) await makeStock(pool, stock);
if (wants('growth')) {
  await makeStock(few.pool, small);
  console.log(`making ${million} offers …`);
  await makeStock(many.pool, large);
}
const bare = bareOn(pool);
/** One for all rounds, as a process runs on and on. */
const product = await productOn(pool, ours);
/** One a round: together their offers would not fit one memory, and two memories are more to collect than a process has. */
const mixing = (): Promise<BenchStores> => productOn(pool, mixedOnes);
const mixedSaves = mixed(mixedOnes);
// Without a memory: it would hold the ten thousand and not the million, and be compared with itself.
const onFew = bareOn(few.pool);
const onMany = bareOn(many.pool);
const grpc = await grpcReads(product, ours);

/** `limit_…`: pgbench, `…_server`: the server alone, `…_echo`: bare grpc-js. */
const bench: Bench = {
  name: 'gost',
  unit: 'per second',
  variants: [
    { name: 'save_limit_L1', run: () => limitOfEdits({ pool, url }, pgbenchs) },
    { name: 'save_single_64_callers', run: () => saveSingly(product, edits(ours)) },
    { name: 'save_batch_50', run: () => saveInFifties(product, edits(ours)) },
    { name: 'mixed_limit_L1', run: () => limitOfMixed({ pool, url }, pgbenchs) },
    { name: 'mixed_single_64_callers', run: async () => saveSingly(await mixing(), mixedSaves) },
    { name: 'mixed_batch_50', run: async () => saveInFifties(await mixing(), mixedSaves) },
    { name: 'read_limit', run: () => limitOfReads(url, ours) },
    { name: 'read_by_id', run: () => readById(product, ours) },
    { name: 'read_by_id_cold', run: () => readById(bare, ours) },
    { name: 'drain_server', run: () => drainByServer(pool) },
    { name: 'drain', run: () => drain(pool) },
    { name: 'drain_one_shard', run: () => drainOneShard(pool) },
    { name: 'drain_held_snapshot', run: () => drainUnderSnapshot(pool) },
    { name: 'drain_late_producers', run: () => drainLate(pool) },
    { name: 'grpc_echo', run: grpc.echo },
    { name: 'grpc_read', run: grpc.product },
    { name: 'growth_save_10k', run: () => saveSingly(onFew, edits(small)) },
    { name: 'growth_save_1M', run: () => saveSingly(onMany, edits(large)) },
    { name: 'growth_page_10k', run: () => readPages(onFew, small) },
    { name: 'growth_page_1M', run: () => readPages(onMany, large) },
  ],
  ratios: [
    {
      name: 'save_single_64_callers',
      subject: 'save_single_64_callers',
      baseline: 'save_limit_L1',
      goal: 1.4,
      stretch: 1.8,
    },
    {
      name: 'save_batch_50',
      subject: 'save_batch_50',
      baseline: 'save_limit_L1',
      goal: 2.5,
      stretch: 3.2,
    },
    // Edits move no list, no count and no total: these do.
    { name: 'mixed_single_64_callers', subject: 'mixed_single_64_callers', baseline: 'mixed_limit_L1' },
    { name: 'mixed_batch_50', subject: 'mixed_batch_50', baseline: 'mixed_limit_L1' },
    { name: 'read_by_id', subject: 'read_by_id', baseline: 'read_limit', goal: 0.7, stretch: 1.1 },
    { name: 'drain', subject: 'drain', baseline: 'drain_server', goal: 0.35, stretch: 0.48 },
    {
      name: 'drain_held_snapshot',
      subject: 'drain_held_snapshot',
      baseline: 'drain_one_shard',
      goal: 0.6,
      stretch: 0.85,
    },
    { name: 'grpc_read', subject: 'grpc_read', baseline: 'grpc_echo', goal: 0.7, stretch: 0.85 },
    // What a save and a page cost with the large stock: the rates the other way round.
    {
      name: 'growth_10k_1M_save',
      subject: 'growth_save_10k',
      baseline: 'growth_save_1M',
      goal: 1.3,
      stretch: 1.1,
      isCost: true,
    },
    {
      name: 'growth_10k_1M_page',
      subject: 'growth_page_10k',
      baseline: 'growth_page_1M',
      goal: 1.3,
      stretch: 1.1,
      isCost: true,
    },
  ],
};
try {
  // Code that has never run is slow: the first variant would pay for it.
  for (const warm of [saveSingly, saveInFifties]) await warm(product, edits(ours));
  for (const warm of [readById, readPages]) await warm(product, ours);
  await readById(bare, ours);
  await runBench({
    ...bench,
    variants: bench.variants.filter(({ name }) => wants(name)),
    ratios: bench.ratios.filter(({ subject, baseline }) => wants(subject) && wants(baseline)),
  });
} finally {
  await grpc.stop();
  for (const each of [pool, few.pool, many.pool]) await each.end();
  await server.stop();
}

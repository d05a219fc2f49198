import { randomInt, randomUUID } from 'node:crypto';
import { pgMessageLog } from '@doska/adapters-pg';
import { silentTelemetry } from '@doska/core/kernel';
import { appsOn } from './feeds/end-to-end.ts';
import { answersLimit } from './feeds/answers-limit.ts';
import { feedFile, removeFeedFiles } from './feeds/feed-file.ts';
import { hasXmllint, parse, parseXsd, tokenizer, xmllint } from './feeds/parse.ts';
import { peakMemory } from './feeds/memory.ts';
import { recogniserOn } from './feeds/recogniser.ts';
import { answers, feedsOn, processor } from './feeds/system.ts';
import { autoload } from './gost/autoload.ts';
import { databaseOn } from './gost/databases.ts';
import { productOn } from './gost/product.ts';
import { clock } from './gost/samples.ts';
import { numberOption, runBench, type Measured, type Ratio, type Variant } from './harness.ts';
import { benchPostgres } from './postgres.ts';

/** Feeds from the file to saved answers. Parsing is measured against xmllint, or against the bare tokenizer where there is none. */
const args = process.argv.slice(2);
const OFFERS = numberOption(args, '--offers', 10_000);
const SMALL = Math.max(1_000, Math.floor(OFFERS / 10));
const ANSWERS = 40;
const CPU_WARM_OFFERS = 2_000;

const withPlain = async (measured: Promise<Measured>, more: Record<string, number>): Promise<Measured> => {
  const { plain, ...rest } = await measured;
  return { ...rest, plain: { ...plain, ...more } };
};
/** About so many bytes an offer of a made feed has. */
const OFFER_BYTES = 1_940;
/** `--gb 1`: nothing but the memory that the processor takes for so large a feed. */
const GB = args.includes('--gb') ? numberOption(args, '--gb', 1) : undefined;

if (GB !== undefined) {
  const file = await feedFile(Math.ceil((GB * 1e9) / OFFER_BYTES));
  const warm = await feedFile(CPU_WARM_OFFERS);
  const server = await benchPostgres();
  const database = await databaseOn(server.url, 'feeds');
  const system = await feedsOn(database);
  try {
    const run = (): Promise<Measured> =>
      withPlain(peakMemory(system, file, warm), { feed_mb: file.bytes / 1e6 });
    await runBench({ name: 'feeds', unit: 'MB/s', variants: [{ name: 'processor', run }], ratios: [] });
  } finally {
    await system.close();
    await database.pool.end();
    await server.stop();
    removeFeedFiles();
  }
  process.exit();
}

const large = await feedFile(OFFERS);
const small = await feedFile(SMALL);
const tiny = await feedFile(10);
const server = await benchPostgres();
const onDatabase = await databaseOn(server.url, 'feeds');
const ofGost = await databaseOn(server.url, 'autoload');
const ofApps = await databaseOn(server.url, 'apps');
const system = await feedsOn(onDatabase);
const apps = await appsOn(ofApps.url);
const log = pgMessageLog({
  ...ofGost,
  clock,
  logger: silentTelemetry.logger,
  ids: { next: () => randomUUID() },
  random: { below: (n) => randomInt(n) },
});
const isReal = await hasXmllint();
const variants: readonly Variant[] = [
  {
    name: 'baseline',
    run: () => withPlain(isReal ? xmllint(large) : tokenizer(large), { feed_mb: large.bytes / 1e6 }),
  },
  { name: 'parse', run: () => parse(large) },
  { name: 'parse_xsd', run: () => parseXsd(large) },
  { name: 'processor', run: () => processor(system, large) },
  { name: 'recogniser', run: await recogniserOn() },
  { name: 'processor_small', run: () => processor(system, small) },
  { name: 'answers', run: () => answers(system, tiny, ANSWERS) },
  { name: 'answers_limit', run: () => answersLimit(onDatabase.url) },
  {
    name: 'autoload',
    run: async () => autoload(await productOn(ofGost.pool, { first: 1_000_000_000_000, count: 0 }), log),
  },
  {
    name: 'end_to_end',
    run: async () => {
      const measured = await apps.run(large);
      return { ...measured, plain: { end_to_end_offers_per_s: measured.value } };
    },
  },
];
const ratios: readonly Ratio[] = [
  { name: 'parse', subject: 'parse', baseline: 'baseline', goal: 0.9, stretch: 1.1 },
  { name: 'parse_xsd', subject: 'parse_xsd', baseline: 'baseline', goal: 0.6, stretch: 1 },
  { name: 'processor', subject: 'processor', baseline: 'parse_xsd', goal: 0.35, stretch: 0.5 },
  { name: 'end_to_end', subject: 'end_to_end', baseline: 'autoload', goal: 0.5, stretch: 0.7 },
  { name: 'answers', subject: 'answers', baseline: 'answers_limit', goal: 0.6, stretch: 1 },
  // The cost of an offer in a load that is ten times as large.
  {
    name: 'growth',
    subject: 'processor_small',
    baseline: 'processor',
    goal: 1.2,
    stretch: 1.05,
    isCost: true,
  },
];
try {
  console.log(
    isReal ? 'baseline: xmllint --stream --schema' : 'baseline: the bare tokenizer (there is no xmllint)',
  );
  const warm = await feedFile(CPU_WARM_OFFERS); // code that has never run is slow
  await parseXsd(warm);
  await processor(system, warm);
  await apps.run(warm);
  await runBench({ name: 'feeds', unit: 'MB/s or rows/s', variants, ratios });
} finally {
  await apps.close();
  await system.close();
  await log.close();
  for (const { pool } of [onDatabase, ofGost, ofApps]) await pool.end();
  await server.stop();
  removeFeedFiles();
}

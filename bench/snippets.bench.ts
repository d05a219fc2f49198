import { SnippetsTokens } from '@doska/app-wiring/snippets';
import { builtInParts, defaultSnippetSettings, joinParts, loadConfig, noSchemas } from '@doska/core/snippets';
import { databaseOn } from './gost/databases.ts';
import { numberOption, runBench, type Measured } from './harness.ts';
import { benchPostgres } from './postgres.ts';
import { bareServers } from './snippets/bare.ts';
import { benchHosts, KPS } from './snippets/hosts.ts';
import {
  anyLoad,
  fill,
  getLoad,
  KEYS,
  multiGetLoad,
  putLoad,
  topicLoad,
  upsertLoad,
  visibleOn,
} from './snippets/load.ts';

/** `--keys N`: how many the large section of `growth_10k_1M` has. */
const MANY = numberOption(process.argv.slice(2), '--keys', 1_000_000);
const FEW = 10_000;
const SECTIONS = 5_000;

/** How long a configuration of many sections takes to load and to explain. */
const bigConfig = async (): Promise<Measured> => {
  const names = Array.from({ length: SECTIONS }, (_, n) => `g${n % 50}/s${n}`);
  const text = `Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true ${names
    .map((name) => `Section { Name: "${name}" Body { TtlMinutes: 5 } }`)
    .join('\n')} }`;
  const prefixes = new Map(names.map((name, n) => [name, n + 1]));
  const parts = joinParts([builtInParts])._unsafeUnwrap();
  const startedMs = performance.now();
  loadConfig({ text, prefixes }, { parts, schemas: noSchemas }, defaultSnippetSettings)._unsafeUnwrap();
  const ms = performance.now() - startedMs;
  return { value: 1_000 / ms, plain: { load_5000_sections_ms: ms } };
};

const server = await benchPostgres();
const { url, pool } = await databaseOn(server.url, 'snippets');
const hosts = benchHosts(url);
const one = await hosts.start();
const other = await hosts.start();
const token = await hosts.tokenOf(one);
const bare = await bareServers();
console.log(`making ${KEYS} and ${MANY} snippets …`);
await fill(pool, KPS.plain, KEYS);
await fill(pool, KPS.checked, MANY);
const explain = async (): Promise<Measured> => {
  const { useCases } = one.container.get(SnippetsTokens.snippets);
  const startedMs = performance.now();
  for (let n = 0; n < 1_000; n++) useCases.explain('checked');
  return { value: 1_000_000 / (performance.now() - startedMs) };
};

try {
  await runBench({
    name: 'snippets',
    unit: 'a second',
    variants: [
      { name: 'get', run: () => getLoad(one.run.httpUrl, 'plain', KEYS) },
      { name: 'get_10k', run: () => getLoad(one.run.httpUrl, 'checked', FEW) },
      { name: 'get_1M', run: () => getLoad(one.run.httpUrl, 'checked', MANY) },
      { name: 'put_checked', run: () => putLoad(one.run.httpUrl, 'checked', token) },
      { name: 'express_get', run: () => getLoad(bare.express, 'plain', KEYS) },
      { name: 'express_put', run: () => putLoad(bare.express, 'checked', token) },
      { name: 'http_get', run: () => getLoad(bare.http, 'plain', KEYS) },
      { name: 'multiget', run: () => multiGetLoad(one, token) },
      { name: 'pgbench_any', run: () => anyLoad(url) },
      { name: 'topic', run: () => topicLoad(one) },
      { name: 'pgbench_upsert', run: () => upsertLoad(url) },
      { name: 'visible', run: () => visibleOn(one.run.httpUrl, other.run.httpUrl, token) },
      { name: 'big_config', run: bigConfig },
      { name: 'explain', run: explain },
    ],
    ratios: [
      { name: 'get', subject: 'get', baseline: 'express_get', goal: 0.8, stretch: 1.5 },
      { name: 'get_hot', subject: 'get', baseline: 'http_get', goal: 0.3, stretch: 0.5 },
      { name: 'put_json_schema', subject: 'put_checked', baseline: 'express_put', goal: 0.4, stretch: 0.8 },
      { name: 'multiget', subject: 'multiget', baseline: 'pgbench_any', goal: 0.4, stretch: 0.7 },
      { name: 'topic', subject: 'topic', baseline: 'pgbench_upsert', goal: 0.5, stretch: 0.8 },
      {
        name: 'growth_10k_1M',
        subject: 'get_10k',
        baseline: 'get_1M',
        goal: 1.3,
        stretch: 1.1,
        isCost: true,
      },
    ],
  });
} finally {
  bare.close();
  for (const host of [one, other]) await host.stop();
  await pool.end();
  await server.stop();
  hosts.remove();
}

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { RunningHost } from '@doska/app-composition';
import { SnippetsTokens } from '@doska/app-wiring/snippets';
import type { Delivered } from '@doska/core/kernel';
import type pg from 'pg';
import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import { wrk } from '../wrk.ts';
import { contentOf, KPS, TOPIC } from './hosts.ts';
import type { MultiGetWork } from './multi-get-client.ts';

export const KEYS = 100_000;
const RUN_MS = 4_000;
export const ROWS = 100;
const BATCH = 200;
const below = (n: number): number => Math.floor(Math.random() * n);

/** Rows of a section, as fast as the server can make them. */
export const fill = async (pool: pg.Pool, kps: number, count: number): Promise<void> => {
  for (let from = 0; from < count; from += 10_000)
    await pool.query(
      `insert into snippets.snippet (service, kps, key, language, version_ms, version_sequence, source, format, content)
        select 'snippets', $1, 'k' || n, '', 1, n, '', 1, $4 from generate_series($2::int, $3::int - 1) n`,
      [kps, from, Math.min(from + 10_000, count), Buffer.from(contentOf('k'))],
    );
  await pool.query('vacuum (analyze) snippets.snippet');
};

export const getLoad = (url: string, name: string, keys: number): Promise<Measured> =>
  wrk({
    url,
    script: `request = function() return wrk.format("GET", "/${name}/k" .. math.random(0, ${keys - 1})) end`,
  });
export const putLoad = (url: string, name: string, token: string): Promise<Measured> =>
  wrk({
    url,
    script: `wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer ${token}"
local body = [[${contentOf('k')}]]
request = function() return wrk.format("PUT", "/${name}/k" .. math.random(0, ${KEYS - 1}), nil, body) end`,
  });

export const multiGetLoad = async (host: RunningHost, token: string): Promise<Measured> => {
  const work: MultiGetWork = {
    target: host.run.grpcAddress,
    token,
    forMs: RUN_MS,
    callers: 8,
    rows: ROWS,
    keys: KEYS,
  };
  const worker = new Worker(new URL('./multi-get-client.js', import.meta.url), { workerData: work });
  const [value] = (await once(worker, 'message')) as [number];
  return { value };
};
/** The limit: the same rows by `= any`. */
export const anyLoad = async (url: string): Promise<Measured> => {
  const keys = Array.from({ length: ROWS }, (_, n) => `'k' || (:first + ${n * 7}) % ${KEYS}`).join(', ');
  const script = `\\set first random(0, ${KEYS - 1})
select content from snippets.snippet where service = 'snippets' and kps = ${KPS.plain} and key = any(array[${keys}]) and language = '';
`;
  const { perSecond } = await pgbench(url, script, { clients: 8, seconds: RUN_MS / 1_000 });
  return { value: perSecond * ROWS };
};

let sequence = 0;
const recordOf = (offset: number): Delivered => {
  const key = `k${below(KEYS)}`;
  return {
    position: { topic: TOPIC, incarnation: 'bench', partition: 0, offset },
    key,
    value: Buffer.from(contentOf(key)),
    headers: {},
    timestampMs: Date.now(),
  } as unknown as Delivered;
};
/** Records of a topic through the section's handler: extracted, checked, stored. Reading the log is not in it. */
export const topicLoad = async (host: RunningHost): Promise<Measured> => {
  const handler = host.container.get(SnippetsTokens.topics).workers.consumeTopic('topic');
  const batches = Array.from({ length: 20 }, () => Array.from({ length: BATCH }, () => recordOf(++sequence)));
  const startedMs = performance.now();
  for (const records of batches) {
    const outcome = await handler({ topic: TOPIC, partition: 0, records }, new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  return { value: (batches.length * BATCH) / ((performance.now() - startedMs) / 1_000) };
};
/** The limit: the same rows, upserted in batches of the same size by one connection. */
export const upsertLoad = async (url: string): Promise<Measured> => {
  const script = `insert into snippets.snippet (service, kps, key, language, version_ms, version_sequence, source, format, content)
select distinct on (key) 'snippets', 9, 'k' || floor(random() * ${KEYS})::int as key, '', 1, 0, '', 1, '\\x${Buffer.from(contentOf('k')).toString('hex')}'::bytea from generate_series(1, ${BATCH})
on conflict (service, kps, key, language) do update set version_ms = excluded.version_ms, content = excluded.content;
`;
  const { perSecond } = await pgbench(url, script, { clients: 1, seconds: RUN_MS / 1_000 });
  return { value: perSecond * BATCH };
};

/** From the answer of a PUT on one process to the first GET on another that shows it. */
export const visibleOn = async (one: string, other: string, token: string): Promise<Measured> => {
  const times: number[] = [];
  for (let version = 0; version < 200; version++) {
    const body = `{"v":${version}}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'json' };
    await (await fetch(`${one}/plain/visible`, { method: 'PUT', headers, body })).arrayBuffer();
    const startedMs = performance.now();
    for (;;) {
      const found = await (await fetch(`${other}/plain/visible`)).text();
      if (found === `{"plain":${body}}`) break;
    }
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const p50 = times[Math.floor(times.length * 0.5)]!;
  const p99 = times[Math.floor(times.length * 0.99)]!;
  return { value: 1_000 / p50, plain: { 'put_to_visible_ms.p50': p50, 'put_to_visible_ms.p99': p99 } };
};

import { sleep, type LogPublisher } from '../../kernel/index.ts';
import { FAULTS, memoryDatabase, type Env, type Scenario } from '../../kernel/testing.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import { builtInParts } from '../content/built-in-parts.ts';
import { joinParts } from '../content/registry.ts';
import { noSchemas } from '../content/snippet-parts.ts';
import { defaultSnippetSettings, openSnippets } from '../open-snippets.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import type { StoredRow } from '../store/stored-row.ts';
import type { TopicCodecs } from '../topics/settle-records.use-case.ts';
import { compareVersions, formatVersion, type Version } from '../version/version.ts';
import { anyPrefix } from './config-text.ts';
import { inMemorySnippetStore } from './in-memory-snippet-store.ts';
import { scenarioLog } from './scenario-log.ts';

const TOPIC = 'in';
const KEYS = ['a', 'b'];
const CONFIG = `Body { Service: "snippets" Output: json InputSameAsOutput: true
  Section { Name: "s" Body { InputTopic: "${TOPIC}" InputForLB: json KeyExtractor: "json_id" UploadOverLBRetryCount: 2 } } }`;

/** What a planted bug replaces. */
export type SnippetsBug = {
  readonly store?: (right: SnippetStore, env: Env) => SnippetStore;
  readonly log?: (right: LogPublisher) => LogPublisher;
  readonly codecs?: (right: TopicCodecs) => TopicCodecs;
};
type Body = { readonly id: string; readonly n: number; readonly from: 'topic' | 'put' };
const bodyOf = (row: StoredRow): Body | undefined =>
  row.content && (JSON.parse(Buffer.from(row.content.bytes).toString()) as Body);

/** Two servers with skewed clocks, the main flow, the retry flow, and clients that put, delete and read, with faults. */
export const snippetsScenario = (mode: 'plain' | 'constrained', bug: SnippetsBug = {}): Scenario => ({
  faults: FAULTS,
  wildSteps: 250,
  calmSteps: 6_000,
  build: (world) => {
    const db = memoryDatabase({ nowMs: world.nowMs, mode });
    const { store: plantedStore, ...planted } = bug;
    const log = scenarioLog(world, TOPIC, 's');
    const { recordsOf } = log;
    const acknowledged = new Map<string, Version>();
    const published = 4 + world.below(5);
    const putsPerClient = 3 + world.below(4);
    let broken: string | undefined;
    let clientsDone = 0;
    const seen = new Map<string, StoredRow>();

    const open = (env: Env) => {
      const right = inMemorySnippetStore(db, env.io);
      const store = plantedStore?.(right, env) ?? right;
      const parts = joinParts([builtInParts])._unsafeUnwrap();
      const ports = { store, clock: env.clock, schemas: noSchemas, parts };
      const source = { text: CONFIG, prefixes: anyPrefix };
      return { store, snippets: openSnippets(ports, defaultSnippetSettings, source)._unsafeUnwrap() };
    };
    const rowAt = (key: string) => ({ service: 'snippets', kps: anyPrefix.get('s')!, key, language: '' });
    const observe = (key: string, row: StoredRow | undefined, floor: Version | undefined): void => {
      if (floor && (!row || compareVersions(row.version, floor) < 0))
        broken ??= `acknowledged: ${key} has no version from ${formatVersion(floor)} on`;
      const body = row && bodyOf(row);
      if (row && body?.from === 'topic' && row.version.sequence !== body.n)
        broken ??= `version: the record ${body.n} of ${key} is stored with another version`;
      if (row) seen.set(key, row);
    };

    const client = (number: number) => async (env: Env) => {
      const { snippets, store } = open(env);
      for (let i = 0; i < putsPerClient; i++) {
        const key = KEYS[env.random.below(KEYS.length)]!;
        const floor = acknowledged.get(key);
        const body: Body = { id: key, n: number * 100 + i, from: 'put' };
        const address = { name: 's', key, language: '' };
        const isDelete = env.random.below(4) === 0;
        const done = isDelete
          ? await snippets.useCases.remove(address)
          : await snippets.useCases.put({
              ...address,
              type: { format: 'json' },
              bytes: Buffer.from(JSON.stringify(body)),
            });
        if (done.isOk()) {
          const { version } = done.value;
          if (floor && compareVersions(version, floor) <= 0)
            broken ??= `acknowledged: a write of ${key} got ${formatVersion(version)}, not above ${formatVersion(floor)}`;
          const highest = acknowledged.get(key);
          if (!highest || compareVersions(version, highest) > 0) acknowledged.set(key, version);
        }
        const before = acknowledged.get(key);
        const read = await store.read([rowAt(key)]);
        if (read.isOk()) observe(key, read.value[0], before);
        await sleep(env.clock, 50 + env.random.below(200));
      }
      clientsDone++;
    };
    const publisher = log.publisher(published, 100, (n): Body => ({
      id: KEYS[n % KEYS.length]!,
      n,
      from: 'topic',
    }));
    const consumer = (topic: string) => (env: Env) =>
      log.consume(env, topic, { ...open(env), ...planted, settings: {}, everyMs: () => 150 });
    world.process('client-1', client(1), { immortal: true });
    world.process('client-2', client(2), { immortal: true, skewMs: -5_000 });
    world.process('publisher', publisher, { immortal: true });
    world.process('main', consumer(TOPIC));
    world.process('retries', consumer(RETRY_TOPIC), { skewMs: 5_000 });
    const reader = async (env: Env) => {
      const store = inMemorySnippetStore(db, env.io);
      for (;;) {
        const floors = KEYS.map((key) => acknowledged.get(key));
        const rows = await store.read(KEYS.map(rowAt));
        if (rows.isOk()) KEYS.forEach((key, i) => observe(key, rows.value[i], floors[i]));
        await sleep(env.clock, 200);
      }
    };
    world.process('reader', reader, { immortal: true });
    const isSettled = (): boolean =>
      clientsDone === 2 && recordsOf(TOPIC).length === published && log.isHandled();
    /** A record is stored, or what is stored is not older, or it is a dead letter. */
    const isKept = (n: number): boolean => {
      const record = recordsOf(TOPIC)[n]!;
      const row = seen.get(record.key);
      if (log.isDead(n)) return true;
      if (!row) return false;
      return bodyOf(row)?.from === 'topic' ? row.version.sequence >= n : row.version.ms >= record.timestampMs;
    };
    return {
      law: () => broken,
      done: () => isSettled() && recordsOf(TOPIC).every((_, n) => isKept(n)),
    };
  },
});

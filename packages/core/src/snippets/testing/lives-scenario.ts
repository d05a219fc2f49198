import { sleep } from '../../kernel/index.ts';
import { FAULTS, memoryDatabase, type Env, type Scenario } from '../../kernel/testing.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import { builtInParts } from '../content/built-in-parts.ts';
import { loadConfig } from '../content/load-config.ts';
import { joinParts } from '../content/registry.ts';
import { noSchemas } from '../content/snippet-parts.ts';
import { defaultSnippetSettings, openSnippets } from '../open-snippets.ts';
import { DUE_SHARDS, type RowKey, type StoredRow } from '../store/stored-row.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { anyPrefix } from './config-text.ts';
import { inMemorySnippetStore } from './in-memory-snippet-store.ts';
import { rowLives } from './row-lives.ts';
import { scenarioLog } from './scenario-log.ts';

const TOPIC = 'in';
const KEYS = ['a', 'b'];
const TOMBSTONE_MS = 240_000;
/** Two configurations that take turns: the life of `t` is a minute or an hour, and `g` has two sections or three. */
const CONFIGS = [
  { ttl: 1, group: '["x", "y"]' },
  { ttl: 60, group: '["x", "y", "z"]' },
].map(
  ({ ttl, group }) => `Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true
    Section { Name: "t" Body { TtlMinutes: ${ttl} InputTopic: "${TOPIC}" InputForLB: json KeyExtractor: "json_id" UploadOverLBRetryCount: 3 } }
    Section { Name: "g" Body { Recursive: ${group} Section { Name: "x" } Section { Name: "y" } Section { Name: "z" } } } }`,
);
const parts = joinParts([builtInParts])._unsafeUnwrap();
const sources = CONFIGS.map((text) => ({ text, prefixes: anyPrefix }));
const loaded = sources.map((source) =>
  loadConfig(source, { parts, schemas: noSchemas }, defaultSnippetSettings)._unsafeUnwrap(),
);
const rowAt = (name: string, key: string): RowKey => ({
  service: 'snippets',
  kps: anyPrefix.get(name)!,
  key,
  language: '',
});
const textOf = (row: StoredRow | undefined): string | undefined =>
  row?.content && Buffer.from(row.content.bytes).toString();

/** What a planted bug replaces. `nowMs` is the database's clock. */
export type LivesBug = (right: SnippetStore, nowMs: () => number) => SnippetStore;

/** Groups, expiry, the purge and new configurations beside clients, the main flow and the retry flow, with faults. */
export const livesScenario = (mode: 'plain' | 'constrained', bug: LivesBug = (right) => right): Scenario => ({
  faults: FAULTS,
  wildSteps: 300,
  calmSteps: 8_000,
  build: (world) => {
    const db = memoryDatabase({ nowMs: world.nowMs, mode });
    const log = scenarioLog(world, TOPIC, 't');
    const lives = rowLives(world.nowMs);
    const published = 4 + world.below(5);
    const writesPerClient = 4 + world.below(5);
    let clientsDone = 0;

    const open = (env: Env) => {
      const store = lives.watched(bug(inMemorySnippetStore(db, env.io), world.nowMs));
      const ports = { store, clock: env.clock, schemas: noSchemas, parts };
      const settings = { ...defaultSnippetSettings, tombstoneMs: TOMBSTONE_MS };
      const snippets = openSnippets(ports, settings, sources[0]!)._unsafeUnwrap();
      const { use } = snippets.useCases;
      const reload = (): void => use(loaded[env.random.below(loaded.length)]!);
      return { store, snippets, reload };
    };
    const client = (number: number) => async (env: Env) => {
      const { snippets, reload } = open(env);
      const { put, remove } = snippets.useCases;
      for (let i = 0; i < writesPerClient; i++) {
        const key = KEYS[env.random.below(KEYS.length)]!;
        const address = { name: env.random.below(2) === 0 ? 't' : 'g', key, language: '' };
        const bytes = Buffer.from(JSON.stringify({ id: key, n: number * 100 + i }));
        const write =
          env.random.below(4) === 0 ? remove(address) : put({ ...address, type: { format: 'json' }, bytes });
        if (env.random.below(3) === 0) reload();
        await write;
        await sleep(env.clock, 1_000 + env.random.below(40_000));
        reload();
      }
      clientsDone++;
    };
    const consumer = (topic: string) => async (env: Env) => {
      const { store, snippets, reload } = open(env);
      const reloads = async (): Promise<void> => {
        for (;;) {
          await sleep(env.clock, 10_000 + env.random.below(30_000));
          reload();
        }
      };
      const settings = { tombstoneMs: TOMBSTONE_MS, retryMs: 30_000 };
      // Now and then it is so far behind that a record has expired when it comes.
      const everyMs = (): number => (env.random.below(4) === 0 ? 70_000 : 3_000);
      await Promise.all([reloads(), log.consume(env, topic, { store, snippets, settings, everyMs })]);
    };
    const purger = async (env: Env) => {
      const { store } = open(env);
      for (;;) {
        for (let shard = 0; shard < DUE_SHARDS; shard++)
          await store.purgeDue(shard, { tombstoneMs: TOMBSTONE_MS, limit: 1 });
        await sleep(env.clock, 5_000);
      }
    };
    const ROWS = KEYS.flatMap((key) => ['t', 'g/x', 'g/y', 'g/z'].map((name) => rowAt(name, key)));
    const reader = async (env: Env) => {
      const store = inMemorySnippetStore(db, env.io);
      for (;;) {
        const look = lives.look(ROWS);
        const rows = await store.read(ROWS);
        if (rows.isOk()) {
          look(rows.value);
          KEYS.forEach((key, i) => {
            const [x, y] = [1, 2].map((at) => textOf(rows.value[i * 4 + at]));
            if (x !== y) lives.broke(`group: of ${key} the one section has ${x}, the other ${y}`);
          });
        }
        await sleep(env.clock, 2_000);
      }
    };
    world.process('client-1', client(1), { immortal: true });
    world.process('client-2', client(2), { immortal: true, skewMs: -5_000 });
    world.process(
      'publisher',
      log.publisher(published, 12_000, (n) => ({ id: KEYS[n % KEYS.length]!, n })),
      { immortal: true },
    );
    world.process('main', consumer(TOPIC));
    world.process('retries', consumer(RETRY_TOPIC), { skewMs: 5_000 });
    world.process('purger', purger);
    world.process('reader', reader, { immortal: true });
    return {
      law: lives.law,
      done: () =>
        clientsDone === 2 &&
        log.recordsOf(TOPIC).length === published &&
        log.isHandled() &&
        log.recordsOf(TOPIC).every((_, n) => log.isDead(n) || lives.hasRecord(n)),
    };
  },
});

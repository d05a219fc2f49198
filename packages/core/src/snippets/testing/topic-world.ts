import { err, errAsync, ok } from 'neverthrow';
import {
  deadTopicOf,
  unavailable,
  type BatchHandler,
  type BatchOutcome,
  type Codec,
  type DeadLetter,
  type Delivered,
  type LogRecord,
  type MessageLog,
  type Unavailable,
} from '../../kernel/index.ts';
import {
  countingIds,
  inMemoryMessageLog,
  manualClock,
  memoryDatabase,
  memoryLogServer,
  recordingTelemetry,
  seededRandom,
} from '../../kernel/testing.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import { builtInParts } from '../content/built-in-parts.ts';
import { joinParts } from '../content/registry.ts';
import { noSchemas, type SnippetParts } from '../content/snippet-parts.ts';
import { defaultSnippetSettings, openSnippets, type Snippets } from '../open-snippets.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { openSnippetTopics, type SnippetTopics } from '../open-topics.ts';
import { prepareTopics } from '../topics/prepare-topics.use-case.ts';
import type { TopicCodecs } from '../topics/settle-records.use-case.ts';
import { anyPrefix } from './config-text.ts';
import { inMemorySnippetStore } from './in-memory-snippet-store.ts';

const START_MS = 1_700_000_000_000;
const codec = <T extends { readonly value: Uint8Array }>(what: string): Codec<T> => ({
  encode: (one) => Buffer.from(JSON.stringify({ ...one, value: Buffer.from(one.value).toString('base64') })),
  decode: (bytes) => {
    try {
      const one = JSON.parse(Buffer.from(bytes).toString()) as Omit<T, 'value'> & { readonly value: string };
      return ok({ ...one, value: Uint8Array.from(Buffer.from(one.value, 'base64')) } as unknown as T);
    } catch {
      return err({ kind: 'Malformed', what, field: 'message' });
    }
  },
});
/** Readable bytes, for tests. */
export const testTopicCodecs: TopicCodecs = { retries: codec('SnippetRetry'), letters: codec('DeadLetter') };

export type TopicWorld = {
  readonly snippets: Snippets;
  readonly topics: SnippetTopics;
  readonly log: MessageLog;
  readonly nowMs: () => number;
  readonly advance: (ms: number) => Promise<void>;
  readonly gauges: () => Record<string, number>;
  /** A publisher whose clock differs by so many milliseconds. */
  readonly publisher: (skewMs: number) => MessageLog;
  /** Deletes the topic and creates it again. Positions begin at 0. */
  readonly recreate: (topic: string) => void;
  /** While it is set, every commit fails with it. */
  readonly fail: (failure: Unavailable | undefined) => void;
  readonly publish: (
    topic: string,
    ...records: readonly Pick<LogRecord, 'value' | 'headers'>[]
  ) => Promise<void>;
  /** Gives the records of a topic that were not handled yet to a handler, and returns its outcome. */
  readonly pump: (topic: string, handler: BatchHandler) => Promise<BatchOutcome>;
  readonly retries: () => Promise<number>;
  readonly letters: (topic: string) => Promise<readonly DeadLetter[]>;
  /** The content of a snippet without a language. */
  readonly get: (name: string, key: string) => Promise<string | undefined>;
};

/** Snippets with topics of one partition in memory, and time that a test moves. */
export const topicWorld = async (
  text: string,
  parts: SnippetParts = {},
  settings: {
    readonly retryMs?: number;
    readonly retriesWaitingMax?: number;
    /** How far the log's clock is ahead of the store's. */
    readonly logAheadMs?: number;
  } = {},
): Promise<TopicWorld> => {
  const { clock, advance, nowMs } = manualClock(START_MS);
  const right = inMemorySnippetStore(memoryDatabase({ nowMs, mode: 'constrained' }));
  let failure: Unavailable | undefined;
  const store: SnippetStore = {
    ...right,
    commit: (writes, options) => (failure ? errAsync(failure) : right.commit(writes, options)),
  };
  const registry = joinParts([builtInParts, parts])._unsafeUnwrap();
  const snippets = openSnippets(
    { store, clock, schemas: noSchemas, parts: registry },
    defaultSnippetSettings,
    { text, prefixes: anyPrefix },
  )._unsafeUnwrap();
  const { logAheadMs = 0, ...topicSettings } = settings;
  const server = memoryLogServer(() => nowMs() + logAheadMs);
  const publisher = (skewMs: number): MessageLog =>
    inMemoryMessageLog({
      server,
      clock: { ...clock, nowMs: () => nowMs() + skewMs },
      ids: countingIds(),
      random: seededRandom(1),
    });
  const log = publisher(0);
  const { telemetry, gauges } = recordingTelemetry();
  const { current, changed } = snippets.useCases;
  const spec = (name: string) => ({ name, partitions: 1, retentionMs: 1e9, recordBytesMax: 1e6 });
  (await prepareTopics(log, current().config.topics, spec))._unsafeUnwrap();
  const positions = new Map<string, number>();
  const topics = openSnippetTopics(
    {
      store,
      clock,
      codecs: testTopicCodecs,
      telemetry,
      current,
      changed,
      log: {
        ...log,
        lag: (group, topic) =>
          log.lag(group, topic).map((all) =>
            all.map((one) => {
              const from = positions.get(topic) ?? 0;
              return { ...one, committed: from, lag: one.head - from };
            }),
          ),
      },
    },
    { ...defaultSnippetSettings, retryMs: 1_000, retriesWaitingMax: 5, ...topicSettings },
  );
  const readAll = async (topic: string): Promise<readonly Delivered[]> => {
    const [{ head = 0 } = {}] = (await log.lag('test', topic))._unsafeUnwrap();
    if (head === 0) return [];
    const reader = (await log.read(topic, 0, 'earliest'))._unsafeUnwrap();
    const all: Delivered[] = [];
    while (all.length < head) all.push(...(await reader.next({ recordsMax: 1_000 }))._unsafeUnwrap());
    await reader.close();
    return all;
  };
  return {
    snippets,
    topics,
    log,
    nowMs,
    advance,
    gauges,
    publisher,
    recreate: (topic) => {
      const { info } = server.topics.get(topic)!;
      server.topics.set(topic, {
        info: { ...info, log: `${info.log}+` },
        partitions: [{ records: [], base: 0 }],
      });
      positions.delete(topic);
    },
    fail: (next) => void (failure = next),
    publish: async (topic, ...records) => {
      (await log.publish(records.map((one) => ({ topic, key: 'k', ...one }))))._unsafeUnwrap();
    },
    pump: async (topic, handler) => {
      const from = positions.get(topic) ?? 0;
      const records = (await readAll(topic)).slice(from);
      if (records.length === 0) return { kind: 'done' };
      const outcome = await handler({ topic, partition: 0, records }, new AbortController().signal);
      positions.set(topic, from + (outcome.kind === 'done' ? records.length : (outcome.handled ?? 0)));
      return outcome;
    },
    retries: async () => (await readAll(RETRY_TOPIC)).length - (positions.get(RETRY_TOPIC) ?? 0),
    letters: async (topic) =>
      (await readAll(deadTopicOf(topic))).map(({ value }) =>
        testTopicCodecs.letters.decode(value)._unsafeUnwrap(),
      ),
    get: async (name, key) => {
      const found = await snippets.useCases.get({ name, key, language: '' });
      return found.isOk() ? Buffer.from(found.value[0]!.content.bytes).toString() : undefined;
    },
  };
};
export const storeAway = unavailable('the store is away');

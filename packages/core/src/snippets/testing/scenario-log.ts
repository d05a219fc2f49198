import { errAsync, ok, okAsync } from 'neverthrow';
import {
  silentTelemetry,
  sleep,
  unavailable,
  type BatchHandler,
  type Delivered,
  type LogPublisher,
} from '../../kernel/index.ts';
import { inMemoryMessageLog, memoryLogServer, type Env, type World } from '../../kernel/testing.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import { defaultSnippetSettings, type Snippets } from '../open-snippets.ts';
import { openSnippetTopics, type TopicSettings } from '../open-topics.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import type { TopicCodecs } from '../topics/settle-records.use-case.ts';
import { testTopicCodecs } from './topic-world.ts';

export type ScenarioLog = {
  readonly recordsOf: (topic: string) => Delivered[];
  /** Appends records to the input topic, each with what `bodyOf` gives for its number, until there are `count`. */
  readonly publisher: (
    count: number,
    everyMs: number,
    bodyOf: (n: number) => { readonly id: string },
  ) => (env: Env) => Promise<void>;
  /** Reads a topic from the stored position, and stores the position after the handler. Some commits are refused. */
  readonly consume: (
    env: Env,
    topic: string,
    open: {
      readonly store: SnippetStore;
      readonly snippets: Snippets;
      readonly settings: Partial<TopicSettings>;
      readonly everyMs: () => number;
      readonly log?: (right: LogPublisher) => LogPublisher;
      readonly codecs?: (right: TopicCodecs) => TopicCodecs;
    },
  ) => Promise<void>;
  /** All records of the topic and of the retry flow have been handled. */
  readonly isHandled: () => boolean;
  readonly isDead: (n: number) => boolean;
};

/** A section's topic with its retry flow and dead letters, for simulations. */
export const scenarioLog = (world: World, topic: string, section: string): ScenarioLog => {
  const server = memoryLogServer(world.nowMs);
  for (const name of [topic, `${topic}.dead`, RETRY_TOPIC, `${RETRY_TOPIC}.dead`])
    server.topics.set(name, {
      info: { name, partitions: 1, retentionMs: 1e9, recordBytesMax: 1e6, log: 'memory:1', times: 'log' },
      partitions: [{ records: [], base: 0 }],
    });
  const positions = new Map<string, number>();
  const recordsOf = (name: string): Delivered[] => server.topics.get(name)!.partitions[0]!.records;
  return {
    recordsOf,
    publisher: (count, everyMs, bodyOf) => async (env) => {
      for (;;) {
        const isOver = await env.io({ name: 'publish' }, () => {
          const records = recordsOf(topic);
          const n = records.length;
          if (n >= count) return ok(true);
          const body = bodyOf(n);
          const position = { log: 'memory:1', topic, partition: 0, offset: n };
          const value = Buffer.from(JSON.stringify(body));
          records.push({ key: body.id, value, headers: {}, timestampMs: server.nowMs(), position });
          return ok(false);
        });
        if (isOver.isOk() && isOver.value) return;
        await sleep(env.clock, everyMs);
      }
    },
    consume: async (env, name, { store, snippets, settings, everyMs, log, codecs }) => {
      const right = inMemoryMessageLog({ ...env, server });
      const { current, changed } = snippets.useCases;
      const flaky: SnippetStore = {
        ...store,
        commit: (writes, options) =>
          env.random.below(5) === 0
            ? errAsync(unavailable('the row is locked', undefined, false))
            : store.commit(writes, options),
      };
      const { workers } = openSnippetTopics(
        {
          store: flaky,
          clock: env.clock,
          codecs: codecs?.(testTopicCodecs) ?? testTopicCodecs,
          telemetry: silentTelemetry,
          current,
          changed,
          log: { ...right, ...(log?.(right) ?? {}), lag: () => okAsync([]) },
        },
        { ...defaultSnippetSettings, retryMs: 300, retriesWaitingMax: 100, ...settings },
      );
      const handler: BatchHandler = name === topic ? workers.consumeTopic(section) : workers.consumeRetries;
      for (;;) {
        const from = positions.get(name) ?? 0;
        const fetched = await env.io({ name: 'fetch', args: name }, () => ok(recordsOf(name).slice(from)));
        const records = fetched.unwrapOr([]);
        if (records.length > 0) {
          const outcome = await handler({ topic: name, partition: 0, records }, new AbortController().signal);
          const handled = outcome.kind === 'done' ? records.length : (outcome.handled ?? 0);
          const to = from + handled;
          await env.io({ name: 'position', args: { topic: name, to } }, () =>
            ok(positions.set(name, Math.max(to, positions.get(name) ?? 0))),
          );
        }
        await sleep(env.clock, everyMs());
      }
    },
    isHandled: () =>
      [topic, RETRY_TOPIC].every((name) => (positions.get(name) ?? 0) === recordsOf(name).length),
    isDead: (n) =>
      recordsOf(`${topic}.dead`).some(
        ({ value }) => testTopicCodecs.letters.decode(value)._unsafeUnwrap().position.offset === n,
      ),
  };
};

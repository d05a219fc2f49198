import {
  sleep,
  type Clock,
  type Random,
  type TopicInfo,
  type TopicMismatch,
  type TopicSpec,
  type Unavailable,
  type UnknownTopic,
} from '@doska/core/kernel';
import kafkajs, { type Admin } from 'kafkajs';
import { err, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { AdminClient } from '../driver/admin-client.ts';
import { typesOf } from '../driver/guard.ts';
import {
  configOf,
  drawIncarnation,
  incarnationOf,
  specOf,
  timesOf,
  type TopicConfig,
} from './topic-config.ts';

type Needs = {
  readonly admin: Pick<AdminClient, 'ask'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly replication: number;
};
type Found = TopicInfo & { readonly config: TopicConfig; readonly isLed: boolean };

/** Node finds only some names of this CommonJS package by itself. */
const { ConfigResourceTypes } = kafkajs;
const APPEARS_MS = 15_000;
/** A shorter limit if it is not certain that the topic was created. */
const PERHAPS_APPEARS_MS = 2_000;
/** K7: kafkajs may report the first error for a topic that was created. The second means that another process created it at the same time. */
const PERHAPS_MADE = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_ALREADY_EXISTS', 'LEADER_NOT_AVAILABLE']);

/** A cache of the cluster's topics. Topics rarely change, and a new subscription or reader refreshes its entry. */
export class KafkaTopics {
  readonly #needs: Needs;
  readonly #known = new Map<string, TopicInfo>();
  #cluster: string | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  known(name: string): TopicInfo | undefined {
    return this.#known.get(name);
  }
  forget(name: string): void {
    this.#known.delete(name);
  }
  find(name: string): ResultAsync<TopicInfo, UnknownTopic | Unavailable> {
    const known = this.#known.get(name);
    return known ? okAsync(known) : this.fresh(name);
  }
  /** Reads the topic from the broker, not from the cache. */
  fresh(name: string): ResultAsync<TopicInfo, UnknownTopic | Unavailable> {
    return this.look([name]).andThen(([found]) =>
      found ? ok(found) : err({ kind: 'UnknownTopic' as const, topic: name }),
    );
  }
  look(names: readonly string[]): ResultAsync<readonly TopicInfo[], Unavailable> {
    return this.#needs.admin.ask('log.topics', async (admin) =>
      this.#remember(names, await this.#read(admin, names)),
    );
  }
  all(): ResultAsync<readonly TopicInfo[], Unavailable> {
    return this.#needs.admin.ask('log.topics', async (admin) => {
      const found = await this.#read(admin);
      return this.#remember([...found.keys()], found);
    });
  }

  ensure(specs: readonly TopicSpec[]): ResultAsync<readonly TopicInfo[], TopicMismatch | Unavailable> {
    const names = [...new Set(specs.map(({ name }) => name))];
    return this.#needs.admin
      .ask('log.ensureTopics', async (admin): Promise<Result<readonly TopicInfo[], TopicMismatch>> => {
        const before = await this.#read(admin, names); // also without names, so that an unreachable broker is an error
        const mismatch = mismatchIn(specs, before);
        if (mismatch) return err(mismatch);
        const missing = specs.filter(({ name }) => !before.has(name));
        const complaint = await this.#create(admin, missing);
        const after = await this.#appeared(admin, names, complaint);
        const other = mismatchIn(specs, after); // another process created it at the same time with another number
        if (other) return err(other);
        const altered = await this.#alter(admin, specs, after);
        return ok(this.#remember(names, await this.#settled(admin, names, altered)));
      })
      .andThen((made) => made)
      .map((made) => specs.flatMap(({ name }) => made.find((topic) => topic.name === name) ?? []));
  }

  /** Returns an error that may be wrong and must be checked. */
  async #create(admin: Admin, specs: readonly TopicSpec[]): Promise<Error | undefined> {
    if (specs.length === 0) return undefined;
    const { random, replication } = this.#needs;
    try {
      await admin.createTopics({
        waitForLeaders: false, // `#appeared` waits instead and can interpret the errors
        topics: specs.map((spec) => ({
          topic: spec.name,
          numPartitions: spec.partitions,
          replicationFactor: replication,
          configEntries: entriesOf(
            configOf(
              spec,
              drawIncarnation((n) => random.below(n)),
              replication,
            ),
          ),
        })),
      });
    } catch (cause) {
      const types = typesOf(cause);
      if (types.length === 0 || !types.every((type) => PERHAPS_MADE.has(type))) throw cause;
      return cause instanceof Error ? cause : new Error(types.join(', '));
    }
    return undefined;
  }
  /** Waits until every topic has leaders. A broker learns of a new topic a moment after its creation. */
  async #appeared(
    admin: Admin,
    names: readonly string[],
    complaint: Error | undefined,
  ): Promise<ReadonlyMap<string, Found>> {
    const { clock } = this.#needs;
    const patienceMs = complaint === undefined ? APPEARS_MS : PERHAPS_APPEARS_MS;
    for (const untilMs = clock.nowMs() + patienceMs; ; await sleep(clock, 50)) {
      const found = await this.#read(admin, names);
      if (names.every((name) => found.get(name)?.isLed)) return found;
      if (clock.nowMs() > untilMs)
        throw (
          complaint ??
          new Error(`topics without leaders: ${names.filter((name) => !found.get(name)?.isLed).join(', ')}`)
        );
    }
  }
  /** Applies retention and record size of the configuration, and the log's times to topics of earlier releases. The incarnation does not change. */
  async #alter(
    admin: Admin,
    specs: readonly TopicSpec[],
    found: ReadonlyMap<string, Found>,
  ): Promise<readonly TopicSpec[]> {
    const changed = specs.filter(({ name, retentionMs, recordBytesMax }) => {
      const has = found.get(name);
      return (
        has !== undefined &&
        incarnationOf(has.config) !== 'made-elsewhere' &&
        (has.retentionMs !== retentionMs || has.recordBytesMax !== recordBytesMax || has.times !== 'log')
      );
    });
    if (changed.length === 0) return [];
    await admin.alterConfigs({
      validateOnly: false,
      resources: changed.map((spec) => ({
        type: ConfigResourceTypes.TOPIC,
        name: spec.name,
        configEntries: entriesOf(
          configOf(spec, incarnationOf(found.get(spec.name)?.config ?? new Map()), this.#needs.replication),
        ),
      })),
    });
    return changed;
  }
  /** Waits for the change to be visible, because the broker confirms it earlier. */
  async #settled(
    admin: Admin,
    names: readonly string[],
    altered: readonly TopicSpec[],
  ): Promise<ReadonlyMap<string, Found>> {
    const { clock } = this.#needs;
    const shows = (found: ReadonlyMap<string, Found>): boolean =>
      altered.every(({ name, retentionMs, recordBytesMax }) => {
        const has = found.get(name);
        return (
          has?.retentionMs === retentionMs && has.recordBytesMax === recordBytesMax && has.times === 'log'
        );
      });
    for (const untilMs = clock.nowMs() + APPEARS_MS; ; await sleep(clock, 50)) {
      const found = await this.#read(admin, names);
      if (shows(found) || clock.nowMs() > untilMs) return found;
    }
  }

  /** Returns the existing topics of `names`, or all, without internal topics. One request for metadata and one for settings. */
  async #read(admin: Admin, names?: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    this.#cluster ??= (await admin.describeCluster()).clusterId;
    const wanted = names && new Set(names);
    const { topics } = await admin.fetchTopicMetadata();
    const found = topics.filter(({ name }) => (wanted ? wanted.has(name) : !name.startsWith('__')));
    if (found.length === 0) return new Map();
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: found.map(({ name }) => ({ type: ConfigResourceTypes.TOPIC, name })),
    });
    const configs = new Map(
      resources.map(({ resourceName, configEntries }) => [
        resourceName,
        new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
      ]),
    );
    return new Map(
      found.map(({ name, partitions }): [string, Found] => {
        const config = configs.get(name) ?? new Map<string, string>();
        const log = `kafka:${this.#cluster}:${incarnationOf(config)}`;
        const isLed = partitions.length > 0 && partitions.every(({ leader }) => leader >= 0);
        const spec = specOf(name, partitions.length, config);
        return [name, { ...spec, log, times: timesOf(config), config, isLed }];
      }),
    );
  }
  #remember(names: readonly string[], found: ReadonlyMap<string, Found>): readonly TopicInfo[] {
    for (const name of names) this.#known.delete(name);
    return [...found.values()].map(({ name, partitions, retentionMs, recordBytesMax, log, times }) => {
      const info = { name, partitions, retentionMs, recordBytesMax, log, times };
      this.#known.set(name, info);
      return info;
    });
  }
}

const entriesOf = (config: TopicConfig): { name: string; value: string }[] =>
  [...config].map(([name, value]) => ({ name, value }));

const mismatchIn = (
  specs: readonly TopicSpec[],
  found: ReadonlyMap<string, Found>,
): TopicMismatch | undefined => {
  for (const { name, partitions: configured } of specs) {
    const partitions = found.get(name)?.partitions ?? configured;
    if (partitions !== configured) return { kind: 'TopicMismatch', topic: name, partitions, configured };
  }
  return undefined;
};

import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type pg from 'pg';
import type { TopicInfo, TopicMismatch, TopicSpec, Unavailable, UnknownTopic } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';

export type PgTopic = TopicInfo & { readonly id: number };
type Row = {
  readonly id: number;
  readonly name: string;
  readonly partitions: number;
  readonly retention_ms: string;
  readonly record_bytes_max: number;
  readonly log: string;
};

const SELECT = `select t.id, t.name, t.partitions, t.retention_ms, t.record_bytes_max, 'pg:' || i.id || ':' || t.incarnation as log
  from log_topic t cross join log_identity i`;
const topicOf = ({ id, name, partitions, retention_ms, record_bytes_max, log }: Row): PgTopic => ({
  id,
  name,
  partitions,
  log,
  times: 'log',
  retentionMs: Number(retention_ms),
  recordBytesMax: record_bytes_max,
});

/** A cache of the topics. They hardly change; a caller that finds a cached topic deleted calls `forget`. */
export class PgTopics {
  readonly #pool: pg.Pool;
  readonly #known = new Map<string, PgTopic>();

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** The cached topic, without a round trip; undefined if it was not loaded yet. */
  known(name: string): PgTopic | undefined {
    return this.#known.get(name);
  }
  forget(name: string): void {
    this.#known.delete(name);
  }
  find(name: string): ResultAsync<PgTopic, UnknownTopic | Unavailable> {
    const known = this.#known.get(name);
    if (known) return new ResultAsync(Promise.resolve(ok(known)));
    return this.look([name]).andThen(() => {
      const found = this.#known.get(name);
      return found ? ok(found) : err({ kind: 'UnknownTopic' as const, topic: name });
    });
  }
  /** Loads these topics in one round trip. */
  look(names: readonly string[]): ResultAsync<void, Unavailable> {
    return guard('log.topics', async () => {
      const { rows } = await this.#pool.query<Row>(`${SELECT} where t.name = any($1)`, [names]);
      this.#remember(rows.map(topicOf));
    });
  }
  all(): ResultAsync<readonly PgTopic[], Unavailable> {
    return guard('log.topics', async () =>
      (await this.#pool.query<Row>(`${SELECT} order by t.name`)).rows.map(topicOf),
    );
  }
  ensure(specs: readonly TopicSpec[]): ResultAsync<readonly PgTopic[], TopicMismatch | Unavailable> {
    const make = async (tx: pg.PoolClient): Promise<Result<readonly PgTopic[], TopicMismatch>> => {
      await tx.query('select pg_advisory_xact_lock(7102, 0)'); // only one transaction at a time creates topics
      const names = specs.map(({ name }) => name);
      const existing = new Map(
        (await tx.query<Row>(`${SELECT} where t.name = any($1)`, [names])).rows.map((row) => [row.name, row]),
      );
      for (const { name, partitions } of specs) {
        const actual = existing.get(name)?.partitions ?? partitions;
        if (actual !== partitions)
          return err({ kind: 'TopicMismatch', topic: name, partitions: actual, configured: partitions });
      }
      await tx.query(
        `insert into log_topic (name, partitions, retention_ms, record_bytes_max)
         select * from unnest($1::text[], $2::int[], $3::bigint[], $4::int[])
         on conflict (name) do update set retention_ms = excluded.retention_ms, record_bytes_max = excluded.record_bytes_max`,
        [
          names,
          specs.map((s) => s.partitions),
          specs.map((s) => s.retentionMs),
          specs.map((s) => s.recordBytesMax),
        ],
      );
      return ok((await tx.query<Row>(`${SELECT} where t.name = any($1)`, [names])).rows.map(topicOf));
    };
    return inTransaction(this.#pool, 'log.ensureTopics', make).map((topics) => {
      this.#remember(topics);
      return specs.flatMap(({ name }) => topics.find((topic) => topic.name === name) ?? []);
    });
  }

  #remember(topics: readonly PgTopic[]): void {
    for (const topic of topics) this.#known.set(topic.name, topic);
  }
}

import { err, ok, type Result } from 'neverthrow';
import type pg from 'pg';
import type {
  Delivered,
  Fetched,
  LogStorage,
  PartitionCursor,
  Position,
  PositionGone,
  TopicInfo,
} from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { unpackRecords } from './record-frame.ts';
import type { PgTopic, PgTopics } from './topics.ts';
import type { WakeUp } from './wake-up.ts';

/** The first offset of a new group: the oldest kept one, or the start of an empty partition. */
const CLAIM = `insert into log_position (grp, topic, part, pos, token)
  values ($1, $2, $3, coalesce((select last_off - n + 1 from log_batch where topic = $2 and part = $3 order by last_off limit 1), 0), $4)
  on conflict (grp, topic, part) do update set token = excluded.token where log_position.token <= excluded.token
  returning pos`;
const FETCH = `select q.part, b.last_off, b.n, round(extract(epoch from b.ts) * 1000)::float8, b.data
  from unnest($2::int[], $3::bigint[]) q(part, pos) cross join lateral (
    select * from (
      select f.last_off, f.n, f.ts, f.data,
        sum(f.n) over w - f.n as before_n, sum(octet_length(f.data)) over w - octet_length(f.data) as before_bytes
      from log_batch f where f.topic = $1 and f.part = q.part and f.last_off >= q.pos
      window w as (order by f.last_off) order by f.last_off limit $4) z
    where before_n < $4 and before_bytes < $5) b
  order by q.part, b.last_off`;
const BOUNDS = `select p.part,
    coalesce((select last_off - n + 1 from log_batch where topic = $1 and part = p.part order by last_off limit 1), 0) as earliest,
    coalesce((select last_off + 1 from log_batch where topic = $1 and part = p.part order by last_off desc limit 1), 0) as head,
    exists (select from log_topic where id = $1) as kept
  from unnest($2::int[]) p(part)`;
const COMMIT = `update log_position s set pos = greatest(s.pos, u.pos) from unnest($3::int[], $4::bigint[], $5::bigint[]) u(part, pos, token)
  where s.grp = $1 and s.topic = $2 and s.part = u.part and s.token = u.token returning s.part`;

/** part, last_off, n, milliseconds, data */
type FetchRow = readonly [number, string, number, number, Buffer];
/** How often an idle cursor is compared with the last offset, to notice offsets that restarted below its position. */
const HEAD_CHECK_MS = 5_000;

export type PartitionBounds = { readonly earliest: number; readonly head: number };
/** Undefined if the topic is deleted. */
export const boundsOf = async (
  pool: pg.Pool,
  topicId: number,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, PartitionBounds>> => {
  const { rows } = await pool.query<{ part: number; earliest: string; head: string; kept: boolean }>({
    name: 'log_bounds',
    text: BOUNDS,
    values: [topicId, partitions],
  });
  return new Map(
    rows.flatMap(({ part, earliest, head, kept }) =>
      kept ? [[part, { earliest: Number(earliest), head: Number(head) }] as const] : [],
    ),
  );
};

type Needs = {
  readonly pool: pg.Pool;
  readonly topics: PgTopics;
  readonly wakeUp: WakeUp;
  readonly nowMs: () => number;
};

export const pgLogStorage = ({ pool, topics, wakeUp, nowMs }: Needs): LogStorage => {
  const headCheckedAtMs = new Map<string, number>();
  const idOf = (topic: TopicInfo): number => (topic as PgTopic).id;

  const recordsOf = (
    topic: TopicInfo,
    { partition, offset }: PartitionCursor,
    rows: readonly FetchRow[],
    recordsMax: number,
  ): readonly Delivered[] => {
    const records: Delivered[] = [];
    for (const [, last, n, timestampMs, data] of rows) {
      const base = Number(last) - n + 1;
      const skip = Math.max(0, offset - base);
      const framed = unpackRecords(data, skip);
      if (framed.isErr()) throw new Error(`log batch ${topic.name}/${partition}@${base} is damaged`);
      framed.value.forEach((one, i) =>
        records.push({
          ...one,
          timestampMs,
          position: { log: topic.log, topic: topic.name, partition, offset: base + skip + i },
        }),
      );
      if (records.length >= recordsMax) break;
    }
    return records.length > recordsMax ? records.slice(0, recordsMax) : records;
  };
  const gone = (
    topic: TopicInfo,
    { partition, offset }: PartitionCursor,
    bounds: PartitionBounds,
  ): Result<never, PositionGone> => {
    const position: Position = { log: topic.log, topic: topic.name, partition, offset };
    return err({ kind: 'PositionGone', position, ...bounds });
  };
  const pastHead = async (
    topic: TopicInfo,
    idle: readonly PartitionCursor[],
  ): Promise<Result<void, PositionGone>> => {
    const due = idle.filter(
      ({ partition }) => (headCheckedAtMs.get(`${topic.log}/${partition}`) ?? 0) + HEAD_CHECK_MS <= nowMs(),
    );
    if (due.length === 0) return ok(undefined);
    const bounds = await boundsOf(
      pool,
      idOf(topic),
      due.map(({ partition }) => partition),
    );
    for (const cursor of due) {
      const found = bounds.get(cursor.partition);
      // No bounds: the topic was deleted. A topic that is created again under this name is another one and would not wake this reader.
      if (!found || cursor.offset > found.head) return gone(topic, cursor, found ?? { earliest: 0, head: 0 });
      headCheckedAtMs.set(`${topic.log}/${cursor.partition}`, nowMs());
    }
    return ok(undefined);
  };
  const fetch = async (
    topic: TopicInfo,
    cursors: readonly PartitionCursor[],
    recordsMax: number,
    bytesMax: number,
  ): Promise<Result<readonly Fetched[], PositionGone>> => {
    const { rows } = await pool.query<never[]>({
      name: 'log_fetch',
      text: FETCH,
      rowMode: 'array',
      values: [
        idOf(topic),
        cursors.map((c) => c.partition),
        cursors.map((c) => c.offset),
        recordsMax,
        bytesMax,
      ],
    });
    const byPartition = new Map<number, FetchRow[]>();
    for (const row of rows as unknown as FetchRow[]) {
      const sofar = byPartition.get(row[0]);
      if (sofar) sofar.push(row);
      else byPartition.set(row[0], [row]);
    }
    for (const cursor of cursors) {
      const first = byPartition.get(cursor.partition)?.[0];
      // Offsets have no gaps, so only retention can have moved the start.
      if (first && Number(first[1]) - first[2] + 1 > cursor.offset) {
        const bounds = await boundsOf(pool, idOf(topic), [cursor.partition]);
        return gone(topic, cursor, bounds.get(cursor.partition) ?? { earliest: 0, head: 0 });
      }
    }
    const checked = await pastHead(
      topic,
      cursors.filter(({ partition }) => !byPartition.has(partition)),
    );
    if (checked.isErr()) return err(checked.error);
    return ok(
      cursors.map((cursor) => ({
        partition: cursor.partition,
        records: recordsOf(topic, cursor, byPartition.get(cursor.partition) ?? [], recordsMax),
      })),
    );
  };

  return {
    topic: (name) => {
      topics.forget(name); // a new reader needs the current topic, not the cached one
      return topics.find(name);
    },
    claim: ({ group, topic, partition, token }) =>
      topics
        .find(topic)
        .mapErr((error) => (error.kind === 'UnknownTopic' ? ({ kind: 'ClaimLost' } as const) : error))
        .andThen(({ id }) =>
          guard('log.claim', () => pool.query<{ pos: string }>(CLAIM, [group, id, partition, token])).andThen(
            ({ rows }) =>
              rows[0] ? ok({ offset: Number(rows[0].pos) }) : err({ kind: 'ClaimLost' as const }),
          ),
        ),
    fetch: (topic, cursors, { recordsMax, bytesMax }) =>
      guard('log.fetch', () => fetch(topic, cursors, recordsMax, bytesMax)).andThen((outcome) => outcome),
    commit: (group, topic, commits) =>
      topics
        .find(topic)
        .mapErr((error) =>
          error.kind === 'UnknownTopic'
            ? { kind: 'Unavailable' as const, what: `log.commit: ${topic} is gone`, retryable: false }
            : error,
        )
        .andThen(({ id }) =>
          guard('log.commit', async () => {
            const { rows } = await pool.query<{ part: number }>({
              name: 'log_commit',
              text: COMMIT,
              values: [
                group,
                id,
                commits.map((c) => c.partition),
                commits.map((c) => c.offset),
                commits.map((c) => c.token),
              ],
            });
            const kept = new Set(rows.map(({ part }) => part));
            return commits.map(({ partition }) => partition).filter((partition) => !kept.has(partition));
          }),
        ),
    arrivals: (topic) => wakeUp.arrivals(topic),
    waitForMore: (topic, seen, maxMs, signal) => wakeUp.wait(topic, seen, maxMs, signal),
  };
};

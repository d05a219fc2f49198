import { err, ok, type Result } from 'neverthrow';
import type { BlobHash } from '@doska/core/kernel';
import {
  MANIFEST_ROWS_MAX,
  type ArchiveManifest,
  type ClientName,
  type SegmentKey,
  type SegmentRefused,
  type SegmentRow,
} from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { allBuckets } from '../schema/buckets.ts';
import type { erasureAges, segments } from '../schema/vasgen-archive-tables.ts';
import {
  DELETED,
  ERASED_BEFORE,
  ERASURES,
  ERASURES_FORGET,
  IS_CONDEMNED,
  NAMED,
  SEGMENT_READ,
  SEGMENT_WRITE,
  SEGMENTS_BY_TIME,
  SEGMENTS_END,
  SEGMENTS_SCRUBBED_BEFORE,
  UNDELETED,
} from './archive-queries.ts';

type Stored = RowOf<typeof segments.columns>;
const bytesOf = (hash: BlobHash): Uint8Array => Buffer.from(hash, 'hex');
const hashOf = (bytes: Uint8Array): BlobHash => Buffer.from(bytes).toString('hex') as BlobHash;
const rowOf = (row: Stored): SegmentRow => ({
  client: row.client as ClientName,
  log: row.log_name,
  partition: row.log_partition,
  fromOffset: row.from_offset,
  toOffset: row.to_offset,
  fromMs: row.from_ms,
  toMs: row.to_ms,
  records: row.records,
  bytes: row.stored_bytes,
  hash: hashOf(row.segment),
  checksum: row.checksum,
  writtenAtMs: row.written_at_ms,
  scrubbedAtMs: row.scrubbed_at_ms,
});
const keyOf = ({ client, log, partition, fromOffset }: SegmentKey) => ({
  client,
  log_name: log,
  log_partition: partition,
  from_offset: fromOffset,
});
const storedOf = (row: SegmentRow): Stored => ({
  ...keyOf(row),
  to_offset: row.toOffset,
  from_ms: row.fromMs,
  to_ms: row.toMs,
  records: row.records,
  stored_bytes: row.bytes,
  segment: bytesOf(row.hash),
  checksum: row.checksum,
  written_at_ms: row.writtenAtMs,
  scrubbed_at_ms: row.scrubbedAtMs,
});
const scrubOf = (row: SegmentRow) => ({ ...keyOf(row), scrubbed_at_ms: row.scrubbedAtMs });
/** A join does not keep the order of its left side. */
const byTime = (a: Stored, b: Stored): number =>
  a.to_ms - b.to_ms ||
  (a.log_name < b.log_name ? -1 : a.log_name > b.log_name ? 1 : 0) ||
  a.log_partition - b.log_partition ||
  a.from_offset - b.from_offset;

const most = (limit: number): number => Math.min(limit, MANIFEST_ROWS_MAX);
const refused = (): Result<never, SegmentRefused> => err({ kind: 'SegmentRefused' });
const endOf = async (run: YdbTx['run'], { client, log, partition }: Omit<SegmentKey, 'fromOffset'>) => {
  const [[last]] = await run(SEGMENTS_END, { client, log_name: log, log_partition: partition });
  return last && last.to_offset + 1;
};
const find = async (run: YdbTx['run'], key: SegmentKey): Promise<SegmentRow | undefined> => {
  const [[found]] = await run(SEGMENT_READ, keyOf(key));
  return found && rowOf(found);
};
const isCondemned = async (tx: YdbTx, hash: BlobHash): Promise<boolean> =>
  (await tx.run(IS_CONDEMNED, { segment: bytesOf(hash) }))[0].length > 0;
const unchanged = { segments: [], scrubs_moved: [], unnamed: [], condemned: [] } as const;

export const ydbArchiveManifest = (client: YdbClient): ArchiveManifest => ({
  end: (of, log, partition) =>
    client.read('vasgen.archive.end', (tx) => endOf(tx.commit, { client: of, log, partition })),
  add: (row) =>
    client
      .write('vasgen.archive.add', async (tx) => {
        if (row.fromOffset < ((await endOf(tx.run, row)) ?? 0)) return refused();
        if (await isCondemned(tx, row.hash)) return refused();
        await tx.commit(SEGMENT_WRITE, { ...unchanged, segments: [storedOf(row)] });
        return ok(undefined);
      })
      .andThen((outcome) => outcome),
  find: (key) => client.read('vasgen.archive.find', (tx) => find(tx.commit, key)),
  list: (of, { fromMs, toMs, after, limit }) =>
    client.read('vasgen.archive.list', async (tx) => {
      const found: SegmentRow[] = [];
      // Names of logs sort after the empty one, so a window starts at its first moment.
      let place =
        after && after.toMs >= fromMs
          ? { ...keyOf({ ...after, client: of }), to_ms: after.toMs }
          : { client: of, to_ms: fromMs, log_name: '', log_partition: 0, from_offset: 0 };
      for (;;) {
        const [rows] = await tx.run(SEGMENTS_BY_TIME, { ...place, limit: most(limit) });
        const page = [...rows].sort(byTime);
        found.push(...page.filter(({ from_ms }) => from_ms <= toMs).map(rowOf));
        const last = page.at(-1);
        if (!last || page.length < most(limit) || found.length >= most(limit))
          return found.slice(0, most(limit));
        const { to_ms, log_name, log_partition, from_offset } = last;
        place = { client: of, to_ms, log_name, log_partition, from_offset };
      }
    }),
  replace: (key, from, to, scrubbedAtMs) =>
    client
      .write('vasgen.archive.replace', async (tx) => {
        const row = await find(tx.run, key);
        if (row?.hash !== from || (await isCondemned(tx, to.hash))) return refused();
        await tx.commit(SEGMENT_WRITE, {
          segments: [storedOf({ ...row, ...to, scrubbedAtMs })],
          scrubs_moved: row.scrubbedAtMs === scrubbedAtMs ? [] : [scrubOf(row)],
          unnamed: [{ segment: bytesOf(from) }],
          condemned: [{ segment: bytesOf(from) }],
        });
        return ok(undefined);
      })
      .andThen((outcome) => outcome),
  scrubbed: (key, hash, scrubbedAtMs) =>
    client.write(
      'vasgen.archive.scrubbed',
      async (tx) => {
        const row = await find(tx.run, key);
        if (row?.hash !== hash || row.scrubbedAtMs === scrubbedAtMs) return;
        await tx.commit(SEGMENT_WRITE, {
          ...unchanged,
          segments: [storedOf({ ...row, scrubbedAtMs })],
          scrubs_moved: [scrubOf(row)],
        });
      },
      { idempotent: true },
    ),
  unscrubbed: (of, beforeMs, limit) =>
    client.read('vasgen.archive.unscrubbed', async (tx) => {
      const asked = { client: of, before: beforeMs, limit: most(limit) };
      return (await tx.commit(SEGMENTS_SCRUBBED_BEFORE, asked))[0].map(rowOf);
    }),
  erasures: (of, { after = '', limit }) =>
    client.read('vasgen.archive.erasures', async (tx) => {
      const [found] = await tx.commit(ERASURES, { client: of, after, limit: most(limit) });
      return found.map(({ pk, at_ms }) => ({ pk, atMs: at_ms }));
    }),
  forgetErasures: (of, beforeMs, limit) =>
    client.write(
      'vasgen.archive.forgetErasures',
      async (tx) => {
        const ages: RowOf<typeof erasureAges.columns>[] = [];
        for (const bucket of allBuckets) {
          const rest = most(limit) - ages.length;
          if (rest <= 0) break;
          const asked = { client: of, bucket, before: beforeMs, limit: rest };
          ages.push(...(await tx.run(ERASED_BEFORE, asked))[0]);
        }
        if (ages.length > 0) await tx.commit(ERASURES_FORGET, { ages });
        return ages.length;
      },
      { idempotent: true },
    ),
  named: (hashes) =>
    client.read('vasgen.archive.named', async (tx) => {
      const asked = [...new Set(hashes.slice(0, MANIFEST_ROWS_MAX))].map(bytesOf);
      if (asked.length === 0) return [];
      return (await tx.commit(NAMED, { segments: asked }))[0].map(({ segment }) => hashOf(segment));
    }),
  condemn: (hash) =>
    client.write(
      'vasgen.archive.condemn',
      async (tx) => {
        const [named] = await tx.run(NAMED, { segments: [bytesOf(hash)] });
        if (named.length > 0) return false;
        await tx.commit(SEGMENT_WRITE, { ...unchanged, condemned: [{ segment: bytesOf(hash) }] });
        return true;
      },
      { idempotent: true },
    ),
  condemned: (limit) =>
    client.read('vasgen.archive.condemned', async (tx) =>
      (await tx.commit(UNDELETED, { limit: most(limit) }))[0].map(({ segment }) => hashOf(segment)),
    ),
  deleted: (hashes) =>
    client.write(
      'vasgen.archive.deleted',
      async (tx) => {
        const named = [...new Set(hashes.slice(0, MANIFEST_ROWS_MAX))];
        if (named.length > 0)
          await tx.commit(DELETED, { segments: named.map((hash) => ({ segment: bytesOf(hash) })) });
      },
      { idempotent: true },
    ),
});

import { err, ok, type Result } from 'neverthrow';
import type { BlobHash } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import type { SegmentCursor } from '../archive/archive-manifest.port.ts';
import {
  MANIFEST_ROWS_MAX,
  type ArchiveManifest,
  type Erasure,
  type SegmentRefused,
} from '../archive/archive-manifest.port.ts';
import type { SegmentKey, SegmentRow } from '../archive/archive-segment.ts';
import { below } from './memory-rows.ts';

const SEGMENT = 'vasgen_archive_segment';
/** One row for each segment by its hash: which row names it. */
const NAMED = 'vasgen_archive_named';
const CONDEMNED = 'vasgen_archive_condemned';
const UNDELETED = 'vasgen_archive_undeleted';
const ERASURE = 'vasgen_erasure';

const number = (n: number): string => String(n).padStart(16, '0');
const partitionKey = ({ client, log, partition }: Omit<SegmentKey, 'fromOffset'>): string =>
  `${client}/${log}/${number(partition)}`;
const keyOf = (key: SegmentKey): string => `${partitionKey(key)}/${number(key.fromOffset)}`;
const most = (limit: number): number => Math.min(limit, MANIFEST_ROWS_MAX);
const refused = (): Result<never, SegmentRefused> => err({ kind: 'SegmentRefused' });

const orderOf = ({ toMs, log, partition, fromOffset }: SegmentCursor): readonly (number | string)[] => [
  toMs,
  log,
  partition,
  fromOffset,
];
const compare = (a: SegmentCursor, b: SegmentCursor): number => {
  const left = orderOf(a);
  const right = orderOf(b);
  const at = left.findIndex((value, i) => value !== right[i]);
  return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1;
};
/** Every row of a client, page by page, because a result is bounded. */
const rowsOf = (tx: MemoryTx, client: string): readonly SegmentRow[] => {
  const rows: SegmentRow[] = [];
  for (let after: string | undefined; ;) {
    const page = tx.scan<SegmentRow>(SEGMENT, {
      ...below(client),
      ...(after === undefined ? {} : { after }),
      limit: MANIFEST_ROWS_MAX,
    });
    rows.push(...page.map(([, row]) => row));
    if (page.length < MANIFEST_ROWS_MAX) return rows;
    after = page.at(-1)![0];
  }
};
const endOf = (tx: MemoryTx, key: Omit<SegmentKey, 'fromOffset'>): number | undefined => {
  let end: number | undefined;
  for (const [, row] of tx.scan<SegmentRow>(SEGMENT, below(partitionKey(key)))) end = row.toOffset + 1;
  return end;
};
const isCondemned = (tx: MemoryTx, hash: BlobHash): boolean => tx.get(CONDEMNED, hash) !== undefined;
const condemn = (tx: MemoryTx, hash: BlobHash): void => {
  tx.put(CONDEMNED, hash, { hash });
  tx.put(UNDELETED, hash, { hash });
};

export const inMemoryArchiveManifest = (db: MemoryDatabase, io: Io = direct): ArchiveManifest => ({
  end: (client, log, partition) =>
    transact(db, io, 'archive.end', { client, log, partition }, (tx) =>
      ok(endOf(tx, { client, log, partition })),
    ),
  add: (row) =>
    transact(db, io, 'archive.add', { from: row.fromOffset, to: row.toOffset }, (tx) => {
      if (row.fromOffset < (endOf(tx, row) ?? 0) || isCondemned(tx, row.hash)) return refused();
      tx.put(SEGMENT, keyOf(row), row);
      tx.put(NAMED, row.hash, { key: keyOf(row) });
      return ok(undefined);
    }),
  find: (key) =>
    transact(db, io, 'archive.find', keyOf(key), (tx) => ok(tx.get<SegmentRow>(SEGMENT, keyOf(key)))),
  list: (client, { fromMs, toMs, after, limit }) =>
    transact(db, io, 'archive.list', { client, fromMs, toMs, after }, (tx) =>
      ok(
        rowsOf(tx, client)
          .filter((row) => row.toMs >= fromMs && row.fromMs <= toMs && (!after || compare(row, after) > 0))
          .toSorted(compare)
          .slice(0, most(limit)),
      ),
    ),
  replace: (key, from, to, scrubbedAtMs) =>
    transact(db, io, 'archive.replace', { key: keyOf(key), from }, (tx) => {
      const row = tx.get<SegmentRow>(SEGMENT, keyOf(key));
      if (row?.hash !== from || isCondemned(tx, to.hash)) return refused();
      tx.put(SEGMENT, keyOf(key), { ...row, ...to, scrubbedAtMs });
      tx.delete(NAMED, from);
      tx.put(NAMED, to.hash, { key: keyOf(key) });
      condemn(tx, from);
      return ok(undefined);
    }),
  scrubbed: (key, hash, scrubbedAtMs) =>
    transact(db, io, 'archive.scrubbed', { key: keyOf(key) }, (tx) => {
      const row = tx.get<SegmentRow>(SEGMENT, keyOf(key));
      if (row?.hash === hash) tx.put(SEGMENT, keyOf(key), { ...row, scrubbedAtMs });
      return ok(undefined);
    }),
  unscrubbed: (client, beforeMs, limit) =>
    transact(db, io, 'archive.unscrubbed', { client, beforeMs }, (tx) =>
      ok(
        rowsOf(tx, client)
          .filter(({ scrubbedAtMs }) => scrubbedAtMs < beforeMs)
          .slice(0, most(limit)),
      ),
    ),
  erasures: (client, { after, limit }) =>
    transact(db, io, 'archive.erasures', { client, after }, (tx) =>
      ok(
        tx
          .scan<Erasure>(ERASURE, {
            ...below(client),
            ...(after === undefined ? {} : { after: `${client}/${after}` }),
            limit: most(limit),
          })
          .map(([, erasure]) => erasure),
      ),
    ),
  forgetErasures: (client, beforeMs, limit) =>
    transact(db, io, 'archive.forgetErasures', { client, beforeMs }, (tx) => {
      const old = tx
        .scan<Erasure>(ERASURE, { ...below(client), limit: MANIFEST_ROWS_MAX })
        .filter(([, { atMs }]) => atMs < beforeMs)
        .slice(0, most(limit));
      for (const [key] of old) tx.delete(ERASURE, key);
      return ok(old.length);
    }),
  named: (hashes) =>
    transact(db, io, 'archive.named', hashes, (tx) =>
      ok(hashes.slice(0, MANIFEST_ROWS_MAX).filter((hash) => tx.get(NAMED, hash) !== undefined)),
    ),
  condemn: (hash) =>
    transact(db, io, 'archive.condemn', hash, (tx) => {
      if (tx.get(NAMED, hash)) return ok(false);
      condemn(tx, hash);
      return ok(true);
    }),
  condemned: (limit) =>
    transact(db, io, 'archive.condemned', limit, (tx) =>
      ok(tx.scan<{ readonly hash: BlobHash }>(UNDELETED, { limit: most(limit) }).map(([, { hash }]) => hash)),
    ),
  deleted: (hashes) =>
    transact(db, io, 'archive.deleted', hashes, (tx) => {
      for (const hash of hashes.slice(0, MANIFEST_ROWS_MAX)) tx.delete(UNDELETED, hash);
      return ok(undefined);
    }),
});

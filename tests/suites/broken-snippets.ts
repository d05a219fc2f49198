import type { SnippetStore, SnippetWrite } from '@doska/core/snippets';
import { okAsync } from 'neverthrow';
import type { Breakage } from './breakage.ts';

/** Commits another form of each write. */
const committing =
  (change: (write: SnippetWrite) => SnippetWrite) =>
  (right: SnippetStore): SnippetStore => ({
    ...right,
    commit: (writes, options) => right.commit(writes.map(change), options),
  });
/** Every row of a write in a commit of its own, one after another. */
const rowByRow =
  (right: SnippetStore): SnippetStore['commit'] =>
  (writes, options) => {
    const [write] = writes;
    if (!write || writes.length > 1 || write.rows.length < 2) return right.commit(writes, options);
    return write.rows.reduce<ReturnType<SnippetStore['commit']>>(
      (before, row) => before.andThen(() => right.commit([{ ...write, rows: [row] }], options)),
      okAsync([]),
    );
  };

export const brokenSnippetStores: readonly Breakage<SnippetStore>[] = [
  {
    name: 'a record without a version',
    noticedBy: [
      'a record is written if it is newer, and dropped if not',
      'a late record never undoes a newer PUT or DELETE',
    ],
    broken: committing(({ record: _, ...write }) => write),
  },
  {
    name: 'records that compare by time alone',
    noticedBy: ['a record is written if it is newer, and dropped if not'],
    broken: committing((write) =>
      write.record ? { ...write, record: { ...write.record, source: `${write.record.sequence}` } } : write,
    ),
  },
  {
    name: 'a group in several commits',
    noticedBy: [
      'a reader never sees half of a write',
      'all rows of a write share one version above every stored one',
    ],
    broken: (right) => ({ ...right, commit: rowByRow(right) }),
  },
  {
    name: 'a version from a clock of its own',
    noticedBy: ['a write is above a stored version whose clock is ahead'],
    broken: (right) => ({
      ...right,
      commit: (writes, options) =>
        right
          .commit(writes, options)
          .map((outcomes) =>
            outcomes.map((one) =>
              one.kind === 'written' ? { ...one, version: { ms: Date.now(), sequence: 0 } } : one,
            ),
          ),
    }),
  },
  {
    name: 'a condition that is ignored',
    noticedBy: [
      'the condition absent, on a live row',
      'the condition of a version holds for that version only, once',
    ],
    broken: committing(({ condition: _, ...write }) => write),
  },
  {
    name: 'tombstones that are purged too early',
    noticedBy: ['a purge deletes tombstones that are old enough, in bounded steps, and nothing else'],
    broken: (right) => ({
      ...right,
      commit: (writes) => right.commit(writes, { tombstoneMs: 0 }),
      purgeDue: (shard, { limit }) => right.purgeDue(shard, { tombstoneMs: 0, limit }),
    }),
  },
  {
    name: 'a delete that knows one language',
    noticedBy: ['a delete of all languages reaches every stored language of the key and no other key'],
    broken: committing(({ allLanguagesOf: _, ...write }) => write),
  },
  {
    name: 'a time to live that is ignored',
    noticedBy: ['an expired snippet is gone for reads at once, and stays gone for late records'],
    broken: committing((write) => ({
      ...write,
      rows: write.rows.map((row) => ({ ...row, ttlMs: undefined })),
    })),
  },
  {
    name: 'a purge that does nothing',
    noticedBy: ['a purge deletes tombstones that are old enough, in bounded steps, and nothing else'],
    broken: (right) => ({ ...right, purgeDue: () => okAsync(0) }),
  },
  {
    name: 'a list without a prefix',
    noticedBy: ['rows of a prefix are listed in the order of their bytes, page by page'],
    broken: (right) => ({ ...right, list: (place, { prefix: _, ...page }) => right.list(place, page) }),
  },
  {
    name: 'a drop that takes everything at once',
    noticedBy: ['a prefix is dropped in bounded steps, tombstones included, and no other prefix'],
    broken: (right) => ({ ...right, drop: (place) => right.drop(place, 1_000) }),
  },
];

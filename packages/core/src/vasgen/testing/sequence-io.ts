import { ok } from 'neverthrow';
import type { Io, MemoryDatabase } from '../../kernel/testing.ts';
import { sampleClient } from './document-samples.ts';
import { keyOf, type IdxRow } from './memory-rows.ts';

/** Elements that one commit adds at most. */
const BLOCK = 10;
const QUEUES = ['main', 'bulk'] as const;

/**
 * Queue numbers as a sequence gives them: they are taken before the commit, so a commit may overtake one with lower
 * numbers. For a database of mode `plain`.
 */
export const sequenceIo =
  (shards: number) =>
  (right: Io, db: MemoryDatabase): Io => {
    const heads = QUEUES.flatMap((queue) =>
      Array.from({ length: shards }, (_, shard) => keyOf.shard(sampleClient(), queue, shard)),
    );
    const rowsOf = (table: string): Map<string, IdxRow> => {
      const found = db.tables.get(table) ?? { rows: new Map<string, never>(), sorted: undefined };
      db.tables.set(table, found);
      return found.rows as Map<string, IdxRow>;
    };
    const take = (): number => {
      const last = rowsOf('sequence').get('last')?.idx ?? 0;
      rowsOf('sequence').set('last', { idx: last + BLOCK });
      return last;
    };
    return (op, work) =>
      op.name === 'vasgen.accept'
        ? right({ name: 'sequence.next' }, () => ok(take())).andThen((taken) =>
            right(op, () => {
              const rows = rowsOf('vasgen_head');
              const before = heads.map((key) => rows.get(key)?.idx ?? 0);
              for (const key of heads) rows.set(key, { idx: taken });
              const answer = work();
              heads.forEach((key, i) => {
                const added = rows.get(key)!.idx;
                rows.set(key, { idx: added > taken ? Math.max(added, before[i]!) : before[i]! });
              });
              return answer;
            }),
          )
        : right(op, work);
  };

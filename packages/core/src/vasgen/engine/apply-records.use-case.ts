import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput, Unavailable, Violation } from '../../kernel/index.ts';
import type { IndexRecord } from './index-record.ts';
import type { SchemaConflict } from './schema-growth.ts';
import type { SchemaSource } from './schema-source.port.ts';
import type { FeedProgress, NoIndex, SearchEngine } from './search-engine.port.ts';
import type { IndexName } from './index-name.ts';

/** The source of schemas does not know yet what a record was made under: try again. */
export type SchemaBehind = { readonly kind: 'SchemaBehind'; readonly wanted: number; readonly known: number };

export type TakenRecords = {
  readonly applied: number;
  readonly stale: number;
  /** The first record that the index refuses with the newest schema too. Those before it are applied. */
  readonly refused?: { readonly at: number; readonly reason: string };
};

export type ApplyRecordsNeeds = {
  readonly engine: Pick<SearchEngine, 'apply' | 'extend'>;
  readonly schemas: SchemaSource;
  readonly index: IndexName;
  readonly epoch: number;
};
/** The progress is noted only where every record is taken. */
export type ApplyRecords = (
  records: readonly IndexRecord[],
  progress: FeedProgress,
) => Promise<Result<TakenRecords, NoIndex | SchemaBehind | Unavailable>>;

const reasonOf = (violations: readonly Violation[]): string =>
  violations.map(({ path, message }) => `${path}: ${message}`).join('; ');

/** Applies records to one index that grows with them: a record of a newer schema makes the index ask and extend first. */
export const makeApplyRecords = ({ engine, schemas, index, epoch }: ApplyRecordsNeeds): ApplyRecords => {
  /** The number of the schema that the index is known to have. After a start nothing is known. */
  let known = -1;

  /** Undefined: the index has the newest schema now. */
  const learn = async (
    wanted: number,
  ): Promise<Result<SchemaConflict | InvalidInput | undefined, NoIndex | SchemaBehind | Unavailable>> => {
    const current = await schemas.current(epoch);
    if (current.isErr()) return err(current.error);
    const { number, schema } = current.value;
    if (number < wanted) return err({ kind: 'SchemaBehind', wanted, known: number });
    const extended = await engine.extend(index, schema);
    if (extended.isOk()) known = number;
    else if (extended.error.kind === 'SchemaConflict' || extended.error.kind === 'InvalidInput')
      return ok(extended.error);
    else return err(extended.error);
    return ok(undefined);
  };

  const apply = async (
    records: readonly IndexRecord[],
    progress: FeedProgress,
  ): Promise<Result<TakenRecords, NoIndex | Unavailable>> => {
    const verdicts = await engine.apply(
      index,
      records.map(({ change }) => change),
      progress,
    );
    if (verdicts.isErr()) return err(verdicts.error);
    const count = (kind: 'applied' | 'stale'): number =>
      verdicts.value.filter((verdict) => verdict.kind === kind).length;
    const at = verdicts.value.findIndex(({ kind }) => kind === 'invalid');
    const first = verdicts.value[at];
    return ok({
      applied: count('applied'),
      stale: count('stale'),
      ...(first?.kind === 'invalid' ? { refused: { at, reason: reasonOf(first.violations) } } : {}),
    });
  };

  return async (records, progress) => {
    const wanted = Math.max(-1, ...records.map(({ schema }) => schema));
    let isLearned = false;
    if (wanted > known) {
      const learned = await learn(wanted);
      if (learned.isErr()) return err(learned.error);
      if (learned.value) {
        const at = records.findIndex(({ schema }) => schema > known);
        return ok({ applied: 0, stale: 0, refused: { at, reason: reasonOf(learned.value.violations) } });
      }
      isLearned = true;
    }
    const taken = await apply(records, progress);
    if (taken.isErr() || !taken.value.refused || isLearned) return taken;
    // The number said that the index has what it needs, and it has not: one more look at the schema decides.
    const learned = await learn(wanted);
    if (learned.isErr()) return err(learned.error);
    return learned.value ? taken : apply(records, progress);
  };
};

import type { LoadedConfig } from '../config/loaded-config.ts';
import type { TopicInput } from '../config/snippet-config.ts';
import type { SnippetStore } from '../store/snippet-store.port.ts';
import { ROW_BYTES, type SnippetWrite, type WriteOutcome } from '../store/stored-row.ts';
import {
  prepareRecord,
  type FailedRecord,
  type InvalidRecord,
  type RecordLimits,
} from './prepare-record.use-case.ts';
import type { TopicRecord } from './topic-record.ts';

/**
 * `applied`: `atMs` is the store's clock in the commit. `superseded`: everything that is stored is newer.
 */
export type RecordOutcome =
  | { readonly kind: 'applied'; readonly atMs: number }
  | { readonly kind: 'superseded' }
  | InvalidRecord
  | FailedRecord;
/** Returns one outcome for each record, in their order. It changes nothing but the store. */
export type ApplyRecords = (
  loaded: LoadedConfig,
  records: readonly TopicRecord[],
) => Promise<readonly RecordOutcome[]>;

const COMMIT_WRITES_MAX = 200;

const outcomeOf = (outcome: WriteOutcome): RecordOutcome => {
  switch (outcome.kind) {
    case 'written':
      return { kind: 'applied', atMs: outcome.atMs };
    case 'superseded':
      return { kind: 'superseded' };
    case 'tooOld':
      return { kind: 'invalid', reason: 'too old: a tombstone that is newer may already be purged' };
    case 'conditionFailed':
      return { kind: 'failed', reason: 'a condition failed', isAway: false };
  }
};
const bytesOf = ({ rows }: SnippetWrite): number =>
  rows.reduce((sum, { content }) => sum + ROW_BYTES + (content?.bytes.length ?? 0), 0);

/** Splits writes so that each part fits a commit. */
const commitsOf = (
  writes: readonly SnippetWrite[],
  bytesMax: number,
): readonly (readonly SnippetWrite[])[] => {
  const parts: SnippetWrite[][] = [];
  let bytes = Infinity;
  for (const write of writes) {
    const more = bytesOf(write);
    const last = parts.at(-1);
    if (last && bytes + more <= bytesMax && last.length < COMMIT_WRITES_MAX) last.push(write);
    else {
      parts.push([write]);
      bytes = 0;
    }
    bytes += more;
  }
  return parts;
};

/** The input of a record's section. Undefined: the section does not read this topic now. */
export const inputOf = (
  { config: { topics } }: LoadedConfig,
  { section, position }: Pick<TopicRecord, 'section' | 'position'>,
): TopicInput | undefined => topics.find((one) => one.section === section && one.topic === position.topic);

export const makeApplyRecords = (
  store: Pick<SnippetStore, 'commit'>,
  settings: RecordLimits & { readonly tombstoneMs: number },
): ApplyRecords => {
  const { tombstoneMs, commitBytesMax } = settings;
  const commit = async (writes: readonly SnippetWrite[]): Promise<readonly RecordOutcome[]> => {
    const done = await store.commit(writes, { tombstoneMs });
    if (done.isOk()) return done.value.map(outcomeOf);
    const { what, retryable } = done.error;
    // One write may be why the store refuses them all.
    if (!retryable && writes.length > 1) {
      const each: RecordOutcome[] = [];
      for (const write of writes) each.push(...(await commit([write])));
      return each;
    }
    return writes.map(() => ({ kind: 'failed', reason: what, isAway: retryable }));
  };
  return async (loaded, records) => {
    const prepared = await Promise.all(
      records.map(async (record) => {
        const input = inputOf(loaded, record);
        return input && prepareRecord(loaded, input, record, settings);
      }),
    );
    const writes = prepared.flatMap((one) => (one?.isOk() ? [one.value] : []));
    const outcomes: RecordOutcome[] = [];
    for (const part of commitsOf(writes, commitBytesMax)) outcomes.push(...(await commit(part)));
    let at = 0;
    return prepared.map((one): RecordOutcome => {
      if (!one) return { kind: 'failed', reason: 'the section does not read the topic now', isAway: false };
      return one.isErr() ? one.error : outcomes[at++]!;
    });
  };
};

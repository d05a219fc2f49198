import type { RawDocument } from '../../vasgen/index.ts';

/**
 * What becomes of the records of one delivered batch of a partition, in their order. Pure: the shell asks `nextAction`,
 * does what it says, and tells the outcome.
 */
export type BatchLimits = {
  /** A batch goes out when so many documents are ready, */
  readonly documentsMax: number;
  /** or so many bytes, */
  readonly bytesMax: number;
  /** or so much time has passed since the previous write. */
  readonly everyMs: number;
};
export type Ready = { readonly documents: readonly RawDocument[]; readonly bytes: number };
type RecordState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'failed'; readonly reason: string };
export type PartitionState = {
  readonly records: readonly RecordState[];
  /** Records from the start whose documents are written. */
  readonly written: number;
  readonly lastWriteMs: number;
  /** The next batch takes no more records: a larger one did not fit a record of the topic. */
  readonly recordsMax: number;
};
export type Action =
  | { readonly kind: 'convert'; readonly at: number }
  /** Publishes the documents of the records before `upTo` that are not written yet, as one batch. */
  | { readonly kind: 'write'; readonly upTo: number; readonly documents: readonly RawDocument[] }
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** The document of this record alone is larger than the topic takes. Retrying can't help: it is parked. */
  | { readonly kind: 'park'; readonly at: number }
  /** The record at `handled` can't be converted now: the partition waits. */
  | { readonly kind: 'block'; readonly handled: number; readonly reason: string }
  | { readonly kind: 'done' };

export const newPartition = (records: number, lastWriteMs: number): PartitionState => ({
  records: Array.from({ length: records }, () => ({ kind: 'waiting' })),
  written: 0,
  lastWriteMs,
  recordsMax: Infinity,
});
const withRecord = (state: PartitionState, at: number, record: RecordState): PartitionState => ({
  ...state,
  records: state.records.with(at, record),
});
export const converted = (state: PartitionState, at: number, ready: Ready): PartitionState =>
  withRecord(state, at, { kind: 'ready', ready });
export const failed = (state: PartitionState, at: number, reason: string): PartitionState =>
  withRecord(state, at, { kind: 'failed', reason });
export const wrote = (state: PartitionState, upTo: number, atMs: number): PartitionState => ({
  ...state,
  written: upTo,
  lastWriteMs: atMs,
  recordsMax: Infinity,
});
/** The topic did not take the batch before `upTo`, because it is too large. */
export const tooLarge = (state: PartitionState, upTo: number): PartitionState => {
  const records = upTo - state.written;
  return records > 1
    ? { ...state, recordsMax: Math.floor(records / 2) }
    : withRecord(state, state.written, { kind: 'tooLarge' });
};

/** The ready records behind the written ones that fit one batch, and whether it is full. */
const nextBatch = (
  { records, written, recordsMax }: PartitionState,
  { documentsMax, bytesMax }: BatchLimits,
): { readonly upTo: number; readonly documents: RawDocument[]; readonly isFull: boolean } => {
  const documents: RawDocument[] = [];
  let bytes = 0;
  let upTo = written;
  for (; upTo < records.length; upTo++) {
    const record = records[upTo]!;
    if (record.kind !== 'ready') break;
    if (upTo - written >= recordsMax) return { upTo, documents, isFull: true };
    const { ready } = record;
    const isOver = documents.length + ready.documents.length > documentsMax || bytes + ready.bytes > bytesMax;
    // A record whose documents alone exceed a batch goes by itself.
    if (isOver && documents.length > 0) return { upTo, documents, isFull: true };
    documents.push(...ready.documents);
    bytes += ready.bytes;
  }
  return { upTo, documents, isFull: documents.length >= documentsMax || bytes >= bytesMax };
};

export const nextAction = (state: PartitionState, nowMs: number, limits: BatchLimits): Action => {
  const { records, written, lastWriteMs } = state;
  if (records[written]?.kind === 'tooLarge') return { kind: 'park', at: written };
  const { upTo, documents, isFull } = nextBatch(state, limits);
  if (isFull) return { kind: 'write', upTo, documents };
  const next = records[upTo];
  if (next?.kind === 'waiting') return { kind: 'convert', at: upTo };
  if (upTo > written) {
    const dueMs = lastWriteMs + limits.everyMs;
    return nowMs >= dueMs ? { kind: 'write', upTo, documents } : { kind: 'wait', untilMs: dueMs };
  }
  return next?.kind === 'failed' ? { kind: 'block', handled: upTo, reason: next.reason } : { kind: 'done' };
};

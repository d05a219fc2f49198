import type { FeedError, FeedProgress, FeedRow, FeedVerdict, OfferId } from '@doska/core/gost';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import {
  FeedVerdict as PbVerdict,
  type FeedError as PbError,
  type FeedProgress as PbProgress,
  type FeedRow as PbRow,
} from '../generated/doska/gost/stored/v1/stored.ts';

const verdicts = enumTable<FeedVerdict>({
  inserted: PbVerdict.FEED_VERDICT_INSERTED,
  updated: PbVerdict.FEED_VERDICT_UPDATED,
  unchanged: PbVerdict.FEED_VERDICT_UNCHANGED,
  rejected: PbVerdict.FEED_VERDICT_REJECTED,
  skipped: PbVerdict.FEED_VERDICT_SKIPPED,
});

const errorToPb = ({ level, ...same }: FeedError): PbError => ({ warning: level === 'warning', ...same });
const errorFromPb = ({ warning, code, path, message, value, line }: PbError): FeedError => ({
  level: warning ? 'warning' : 'error',
  ...{ code, path, message, value, line },
});

export const feedRowToPb = (row: FeedRow): PbRow => ({
  externalId: row.externalId,
  offerId: row.offerId,
  task: BigInt(row.task),
  ordinal: BigInt(row.ordinal),
  verdict: verdicts.toPb(row.result.verdict) as PbVerdict,
  errors: row.result.errors.map(errorToPb),
  removedAtUs: row.removedAtUs === undefined ? undefined : BigInt(row.removedAtUs),
});
export const feedRowFromPb = (row: PbRow): Result<FeedRow, Malformed> => {
  const verdict = verdicts.fromPb(row.verdict);
  if (!verdict) return err({ kind: 'Malformed', what: 'feed row', field: 'verdict' });
  return ok({
    externalId: row.externalId,
    offerId: row.offerId as OfferId | undefined,
    task: Number(row.task),
    ordinal: Number(row.ordinal),
    result: { verdict, errors: row.errors.map(errorFromPb) },
    removedAtUs: row.removedAtUs === undefined ? undefined : Number(row.removedAtUs),
  });
};

export const feedProgressToPb = (progress: FeedProgress): PbProgress => ({
  task: BigInt(progress.task),
  generation: BigInt(progress.generation),
  nextBatch: BigInt(progress.nextBatch),
  offersSeen: BigInt(progress.offersSeen),
  answeredAtUs: BigInt(progress.answeredAtUs),
  terminal: progress.terminal && {
    removed: BigInt(progress.terminal.removed),
    manual: BigInt(progress.terminal.manual),
    done: progress.terminal.done,
  },
});
export const feedProgressFromPb = (progress: PbProgress): FeedProgress => ({
  task: Number(progress.task),
  generation: Number(progress.generation),
  nextBatch: Number(progress.nextBatch),
  offersSeen: Number(progress.offersSeen),
  answeredAtUs: Number(progress.answeredAtUs),
  terminal: progress.terminal && {
    removed: Number(progress.terminal.removed),
    manual: Number(progress.terminal.manual),
    done: progress.terminal.done,
  },
});

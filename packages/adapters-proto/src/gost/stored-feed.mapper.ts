import type { FeedError, FeedVerdict, OfferId } from '@doska/core/gost';
import type { FeedProgress, FeedRow, TerminalProgress } from '@doska/core/gost/storage';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import {
  FeedTerminalState as PbState,
  FeedVerdict as PbVerdict,
  type FeedTerminal as PbTerminal,
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
const states = enumTable<TerminalProgress['state']>({
  running: PbState.FEED_TERMINAL_STATE_RUNNING,
  held: PbState.FEED_TERMINAL_STATE_HELD,
  done: PbState.FEED_TERMINAL_STATE_DONE,
});

const errorToPb = ({ level, ...same }: FeedError): PbError => ({ warning: level === 'warning', ...same });
const errorFromPb = ({ warning, code, path, message, value, line }: PbError): FeedError => ({
  level: warning ? 'warning' : 'error',
  code,
  path,
  message,
  value,
  line,
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
    state: states.toPb(progress.terminal.state) as PbState,
  },
});
const terminalFromPb = ({ removed, manual, state }: PbTerminal): Result<TerminalProgress, Malformed> => {
  const known = states.fromPb(state);
  return known
    ? ok({ removed: Number(removed), manual: Number(manual), state: known })
    : err({ kind: 'Malformed', what: 'feed progress', field: 'terminal' });
};
export const feedProgressFromPb = (progress: PbProgress): Result<FeedProgress, Malformed> =>
  (progress.terminal ? terminalFromPb(progress.terminal) : ok(undefined)).map((terminal) => ({
    task: Number(progress.task),
    generation: Number(progress.generation),
    nextBatch: Number(progress.nextBatch),
    offersSeen: Number(progress.offersSeen),
    answeredAtUs: Number(progress.answeredAtUs),
    terminal,
  }));

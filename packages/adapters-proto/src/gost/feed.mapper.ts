import type { CategoryId } from '@doska/core/catalog';
import type {
  BatchAnswer,
  EntryAnswer,
  FeedAnswer,
  FeedBatch,
  FeedEntry,
  FeedError,
  FeedMessage,
  FeedPhotoErrors,
  FeedTerminal,
  FeedVerdict,
  OfferId,
  SellerId,
  TerminalAnswer,
} from '@doska/core/gost';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import {
  AbsentOffers,
  FeedBatchOutcome,
  FeedEntryVerdict,
  FeedErrorLevel,
  FeedTerminalOutcome,
  FeedTerminalReason,
  type FeedEntry as PbEntry,
  type FeedEntryResult,
  type FeedError as PbError,
  type FeedLoad,
  type FeedOffers,
  type FeedPhotoErrors as PbPhotoErrors,
  type FeedResults,
} from '../generated/doska/gost/v1/feed.ts';
import { geoFromPb, geoToPb, textFromPb, textToPb } from './offer.mapper.ts';

const levels = enumTable<FeedError['level']>({
  error: FeedErrorLevel.FEED_ERROR_LEVEL_ERROR,
  warning: FeedErrorLevel.FEED_ERROR_LEVEL_WARNING,
});
const reasons = enumTable<FeedTerminal['reason']>({
  loaded: FeedTerminalReason.FEED_TERMINAL_REASON_LOADED,
  feed_removed: FeedTerminalReason.FEED_TERMINAL_REASON_FEED_REMOVED,
});
const absences = enumTable<FeedTerminal['absent']>({
  remove: AbsentOffers.ABSENT_OFFERS_REMOVE,
  manual: AbsentOffers.ABSENT_OFFERS_MANUAL,
});
const batchOutcomes = enumTable<BatchAnswer['outcome']>({
  applied: FeedBatchOutcome.FEED_BATCH_OUTCOME_APPLIED,
  incomplete: FeedBatchOutcome.FEED_BATCH_OUTCOME_INCOMPLETE,
  skipped: FeedBatchOutcome.FEED_BATCH_OUTCOME_SKIPPED,
});
const terminalOutcomes = enumTable<TerminalAnswer['outcome']>({
  done: FeedTerminalOutcome.FEED_TERMINAL_OUTCOME_DONE,
  held: FeedTerminalOutcome.FEED_TERMINAL_OUTCOME_HELD,
  incomplete: FeedTerminalOutcome.FEED_TERMINAL_OUTCOME_INCOMPLETE,
  skipped: FeedTerminalOutcome.FEED_TERMINAL_OUTCOME_SKIPPED,
});
const verdicts = enumTable<FeedVerdict>({
  inserted: FeedEntryVerdict.FEED_ENTRY_VERDICT_INSERTED,
  updated: FeedEntryVerdict.FEED_ENTRY_VERDICT_UPDATED,
  unchanged: FeedEntryVerdict.FEED_ENTRY_VERDICT_UNCHANGED,
  rejected: FeedEntryVerdict.FEED_ENTRY_VERDICT_REJECTED,
  skipped: FeedEntryVerdict.FEED_ENTRY_VERDICT_SKIPPED,
});
const malformed = (what: string, field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what, field });
/** What a newer version wrote and this one can't name must not be guessed. */
const named = <T>(value: T | undefined, what: string, field: string): Result<T, Malformed> =>
  value === undefined ? malformed(what, field) : ok(value);

type Sent = Pick<FeedBatch, 'seller' | 'namespace' | 'task' | 'generation'>;
const loadToPb = ({ seller, namespace, task, generation }: Sent): FeedLoad => ({
  sellerId: seller,
  namespace,
  task: BigInt(task),
  generation: BigInt(generation),
});
const loadFromPb = (load: FeedLoad | undefined, what: string): Result<Sent, Malformed> => {
  if (!load) return malformed(what, 'load');
  const { sellerId, namespace, task, generation } = load;
  return ok({ seller: sellerId as SellerId, namespace, task: Number(task), generation: Number(generation) });
};

const errorToPb = ({ level, ...same }: FeedError): PbError => ({
  level: levels.toPb(level) as FeedErrorLevel,
  ...same,
});
const errorFromPb = ({ level, code, path, message, value, line }: PbError): FeedError => ({
  // An unknown level is the graver one: the offer stays as it is.
  level: levels.fromPb(level) ?? 'error',
  code,
  path,
  message,
  value,
  line,
});

const entryToPb = (entry: FeedEntry): PbEntry => {
  const { category = '', ...text } = entry.content ?? {};
  return {
    ordinal: BigInt(entry.ordinal),
    externalId: entry.externalId,
    line: entry.line,
    categoryId: category,
    text: entry.content && textToPb(text as typeof entry.content),
    geo: entry.geo && geoToPb(entry.geo),
    errors: entry.errors.map(errorToPb),
  };
};
/** Content that cannot be read rejects its entry, not the batch. */
const entryFromPb = (entry: PbEntry): FeedEntry => {
  const content = entry.text
    ? textFromPb(entry.text).map((text) => ({ ...text, category: entry.categoryId as CategoryId }))
    : ok(undefined);
  const unread = content.match<readonly FeedError[]>(
    () => [],
    ({ field = '' }) => [
      {
        level: 'error',
        code: 'Malformed',
        path: field,
        message: 'the content cannot be read',
        value: undefined,
        line: entry.line,
      },
    ],
  );
  return {
    ordinal: Number(entry.ordinal),
    externalId: entry.externalId,
    line: entry.line,
    content: content.unwrapOr(undefined),
    geo: entry.geo && geoFromPb(entry.geo),
    errors: [...entry.errors.map(errorFromPb), ...unread],
  };
};

export const feedMessageToPb = (message: FeedMessage): FeedOffers => ({
  load: loadToPb(message),
  message:
    message.kind === 'batch'
      ? {
          $case: 'batch',
          value: { batch: BigInt(message.batch), entries: message.entries.map(entryToPb) },
        }
      : {
          $case: 'terminal',
          value: {
            batches: BigInt(message.batches),
            offers: BigInt(message.offers),
            reason: reasons.toPb(message.reason) as FeedTerminalReason,
            absent: absences.toPb(message.absent) as AbsentOffers,
            force: message.force,
          },
        },
});
export const feedMessageFromPb = ({ load, message }: FeedOffers): Result<FeedMessage, Malformed> =>
  loadFromPb(load, 'feed offers').andThen((sent): Result<FeedMessage, Malformed> => {
    if (message?.$case === 'batch') {
      const { batch, entries } = message.value;
      return ok({ ...sent, kind: 'batch', batch: Number(batch), entries: entries.map(entryFromPb) });
    }
    if (message?.$case !== 'terminal') return malformed('feed offers', 'message');
    const { batches, offers, force } = message.value;
    return Result.combine([
      named(reasons.fromPb(message.value.reason), 'feed offers', 'reason'),
      named(absences.fromPb(message.value.absent), 'feed offers', 'absent'),
    ]).map(([reason, absent]) => ({
      ...sent,
      kind: 'terminal',
      batches: Number(batches),
      offers: Number(offers),
      reason,
      absent,
      force,
    }));
  });

const resultToPb = ({
  ordinal,
  externalId,
  verdict,
  offerId,
  errors,
  title,
}: EntryAnswer): FeedEntryResult => ({
  ordinal: BigInt(ordinal),
  externalId,
  offerId: offerId ?? '',
  errors: errors.map(errorToPb),
  title: title ?? '',
  verdict: verdicts.toPb(verdict) as FeedEntryVerdict,
});
const resultFromPb = (entry: FeedEntryResult): Result<EntryAnswer, Malformed> =>
  named(verdicts.fromPb(entry.verdict), 'feed results', 'verdict').map((verdict) => ({
    ordinal: Number(entry.ordinal),
    externalId: entry.externalId,
    verdict,
    offerId: entry.offerId === '' ? undefined : (entry.offerId as OfferId),
    errors: entry.errors.map(errorFromPb),
    title: entry.title === '' ? undefined : entry.title,
  }));

export const feedAnswerToPb = (answer: FeedAnswer): FeedResults => ({
  load: loadToPb(answer),
  message:
    answer.kind === 'batch'
      ? {
          $case: 'batch',
          value: {
            batch: BigInt(answer.batch),
            outcome: batchOutcomes.toPb(answer.outcome) as FeedBatchOutcome,
            entries: answer.entries.map(resultToPb),
          },
        }
      : {
          $case: 'terminal',
          value: {
            outcome: terminalOutcomes.toPb(answer.outcome) as FeedTerminalOutcome,
            removed: BigInt(answer.removed),
            manual: BigInt(answer.manual),
            known: BigInt(answer.known),
            unseen: BigInt(answer.unseen),
          },
        },
});
export const feedAnswerFromPb = ({ load, message }: FeedResults): Result<FeedAnswer, Malformed> =>
  loadFromPb(load, 'feed results').andThen((sent): Result<FeedAnswer, Malformed> => {
    if (message?.$case === 'batch') {
      const { batch, outcome, entries } = message.value;
      return named(batchOutcomes.fromPb(outcome), 'feed results', 'outcome').andThen((known) =>
        Result.combine(entries.map(resultFromPb)).map((read) => ({
          ...sent,
          kind: 'batch' as const,
          batch: Number(batch),
          outcome: known,
          entries: read,
        })),
      );
    }
    if (message?.$case !== 'terminal') return malformed('feed results', 'message');
    const { outcome, removed, manual, known, unseen } = message.value;
    return named(terminalOutcomes.fromPb(outcome), 'feed results', 'outcome').map((said) => ({
      ...sent,
      kind: 'terminal',
      outcome: said,
      removed: Number(removed),
      manual: Number(manual),
      known: Number(known),
      unseen: Number(unseen),
    }));
  });

export const photoErrorsToPb = ({ seller, source, offerId, errors }: FeedPhotoErrors): PbPhotoErrors => ({
  sellerId: seller,
  source: { ...source },
  offerId,
  errors: errors.map((error) => ({ ...error })),
});
export const photoErrorsFromPb = (pb: PbPhotoErrors): Result<FeedPhotoErrors, Malformed> =>
  pb.source
    ? ok({
        seller: pb.sellerId as SellerId,
        source: { namespace: pb.source.namespace, externalId: pb.source.externalId },
        offerId: pb.offerId as OfferId,
        errors: pb.errors.map(({ url, reason }) => ({ url, reason })),
      })
    : malformed('feed photo errors', 'source');

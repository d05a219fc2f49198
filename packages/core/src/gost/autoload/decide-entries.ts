import { decide, decidePublish, type Decision } from '../offer/decide.ts';
import type { GostError } from '../offer/command.ts';
import type { FeedError, FeedKey, FeedResult, FeedRow } from './feed.ts';
import type { EntryAnswer, FeedBatch, FeedEntry } from './feed-message.ts';
import { entryError, shown } from './entry-errors.ts';
import { feedDetailViolations, feedEntryViolations } from './feed-message-rules.ts';
import type { CommandId, Offer } from '../offer/offer.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { DecisionContext } from '../offer/step.ts';

export type EntryContext = DecisionContext & {
  readonly feed: FeedKey;
  readonly task: number;
  readonly newOfferId: () => OfferId;
  /** How long a banned offer that its feed dropped gets its id back. */
  readonly bannedKeptUs: number;
};
/** `row` undefined: what is known of the external id stays as it is. */
export type EntryDecision = {
  readonly answer: EntryAnswer;
  readonly row: FeedRow | undefined;
  readonly change: OfferChange | undefined;
};

const problem = (entry: FeedEntry, code: string, path: string, message: string): FeedError => ({
  level: 'error',
  code,
  path,
  message,
  value: undefined,
  line: entry.line,
});
const refusals: Partial<Record<GostError['kind'], readonly [code: string, message: string]>> = {
  Banned: ['ban', 'the offer is banned and an edit can’t help'],
  Sold: ['sold', 'the offer is sold'],
};
const errorsOf = (entry: FeedEntry, error: GostError): readonly FeedError[] => {
  if (error.kind === 'InvalidInput') return error.violations.map((violation) => entryError(entry, violation));
  const [code, message] = refusals[error.kind] ?? [error.kind, 'the offer could not be changed'];
  return [problem(entry, code, '', message)];
};

/** An entry without content says why; if its sender did not, we do. */
const withReason = (entry: FeedEntry): readonly FeedError[] =>
  entry.errors.some(({ level }) => level === 'error')
    ? entry.errors
    : [...entry.errors, problem(entry, 'Missing', 'text', 'the entry has no content')];

/** The offer that an entry speaks of; one that is removed is none, but for a banned one that may still come back. */
const matched = (
  offer: Offer | undefined,
  row: FeedRow | undefined,
  context: EntryContext,
): Offer | undefined => {
  if (!offer || offer.lifecycle !== 'removed') return offer;
  const mayReturn =
    row?.removedAtUs !== undefined && row.removedAtUs + context.bannedKeptUs > context.nowUs && offer.ban;
  return mayReturn ? offer : undefined;
};

/** Table T2, the row of a feed's entry: what it makes of the offer that it is, or of none. */
export const decideEntry = (
  entry: FeedEntry,
  known: { readonly row: FeedRow | undefined; readonly offer: Offer | undefined },
  context: EntryContext,
): EntryDecision => {
  const { ordinal, externalId, content, geo } = entry;
  const { feed, task } = context;
  const { row } = known;
  const answered = (result: FeedResult, offerId: OfferId | undefined): EntryAnswer => ({
    ...result,
    ordinal,
    externalId,
    offerId,
    title: result.errors.length > 0 && content ? shown(content.title) : undefined,
  });
  const broken = feedEntryViolations(entry);
  if (broken.length > 0) {
    const errors = broken.map((violation) => entryError(entry, violation));
    return {
      answer: answered({ verdict: 'rejected', errors }, undefined),
      row: undefined,
      change: undefined,
    };
  }
  if (row?.task === task)
    return row.ordinal === ordinal
      ? { answer: answered(row.result, row.offerId), row: undefined, change: undefined }
      : {
          answer: answered(
            {
              verdict: 'rejected',
              errors: [problem(entry, 'duplicate', 'external_id', 'the feed has this id twice')],
            },
            row.offerId,
          ),
          row: undefined,
          change: undefined,
        };
  const settled = (
    result: FeedResult,
    offerId: OfferId | undefined,
    change?: OfferChange,
  ): EntryDecision => ({
    answer: answered(result, offerId),
    // What is touched is not deleted, whatever is wrong with it.
    row: {
      externalId,
      offerId,
      task,
      ordinal,
      result,
      removedAtUs: change || !row ? undefined : row.removedAtUs,
    },
    change,
  });
  const before = known.offer?.id ?? row?.offerId;
  const outOfBounds = feedDetailViolations(entry);
  if (outOfBounds.length > 0) {
    const errors = outOfBounds.map((violation) => entryError(entry, violation));
    return settled({ verdict: 'rejected', errors }, before);
  }
  if (!content || entry.errors.some(({ level }) => level === 'error'))
    return settled({ verdict: 'rejected', errors: withReason(entry) }, before);

  const source = { namespace: feed.namespace, externalId };
  const offer = matched(known.offer, row, context);
  const command = {
    id: `feed/${feed.namespace}/${task}/${ordinal}` as CommandId,
    by: 'feed' as const,
    feed: { namespace: feed.namespace, task },
  };
  const decision = offer
    ? decide(offer, { ...command, kind: 'feedUpdate', content, geo, source }, context)
    : decidePublish(
        undefined,
        {
          ...command,
          kind: 'publish',
          offerId: context.newOfferId(),
          seller: feed.seller,
          content,
          geo,
          source,
        },
        context,
      );
  if (decision.isErr()) {
    const errors = [...entry.errors, ...errorsOf(entry, decision.error)];
    return settled({ verdict: decision.error.kind === 'Sold' ? 'skipped' : 'rejected', errors }, before);
  }
  const banned = offer?.ban
    ? [problem(entry, 'ban', '', `the offer is banned: ${offer.ban.reasons.join(', ')}`)]
    : [];
  const errors = [...entry.errors, ...banned];
  const { result } = decision.value;
  const verdict = verdictOf(decision.value, offer);
  return decision.value.kind === 'change'
    ? settled({ verdict, errors }, result.offerId, decision.value.change)
    : settled({ verdict, errors }, result.offerId);
};
const verdictOf = (decision: Decision, offer: Offer | undefined): FeedResult['verdict'] => {
  if (decision.kind === 'none') return 'unchanged';
  return offer ? 'updated' : 'inserted';
};

/** What is known before a batch: rows by external id, offers by id. */
export type KnownEntries = {
  readonly rows: ReadonlyMap<string, FeedRow>;
  readonly offers: ReadonlyMap<OfferId, Offer>;
};
/** All entries of a batch in their order: an entry sees what an earlier one of the same id has left. */
export const decideEntries = (
  { entries }: FeedBatch,
  { rows, offers }: KnownEntries,
  context: EntryContext,
): readonly EntryDecision[] => {
  const seen = new Map<string, FeedRow>(rows);
  return entries.map((entry) => {
    const row = seen.get(entry.externalId);
    const offer = row?.offerId === undefined ? undefined : offers.get(row.offerId);
    const decision = decideEntry(entry, { row, offer }, context);
    if (decision.row) seen.set(entry.externalId, decision.row);
    return decision;
  });
};

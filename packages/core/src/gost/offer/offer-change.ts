import { shardOf } from '../../kernel/index.ts';
import { moveBetween, type Preset, type Total } from '../cabinet/presets.ts';
import type { OfferCommand } from './command.ts';
import { offerStatus, type CommandResult, type Offer, type OfferSource, type SellerId } from './offer.ts';
import { fingerprintField, rememberedCommands } from './remembered-commands.ts';
import type { OfferId } from './offer-id.ts';
import { detailsOf, type HistoryEntry } from '../history/history.ts';
import { imagesOf, newPhotos, releasedPhotos } from '../photos/images.ts';
import { changedKinds, type OfferKind } from './offer-parts.ts';
import { viewOf, type OfferView } from './offer-view.ts';
import { retiredSince, timerOf, type TimerKey } from '../expiry/timer.ts';

/** A line of a cabinet's list. Lists are read newest first: by `createdAtUs`, then by id. */
export type PresetKey = {
  readonly seller: SellerId;
  readonly preset: Preset;
  readonly createdAtUs: number;
  readonly offerId: OfferId;
};
/** A line that comes (1) or goes (-1); the list's count moves by as much in the same commit. */
export type PresetMove = PresetKey & { readonly by: 1 | -1 };
/** `currency` only with `MoneyEarned`. */
export type TotalMove = { readonly total: Total; readonly currency: string; readonly by: number };
/** A message of another topic that must leave with this commit. */
export type OutboxRecord = {
  readonly shard: number;
  readonly topic: string;
  readonly key: string;
  /** Tells it from others of the same key and moment; mostly empty. */
  readonly id: string;
  readonly atUs: number;
  readonly value: Uint8Array;
};
/** What the offer asks of, or tells, another system; it leaves with the commit. */
export type OfferMessage =
  | {
      readonly kind: 'photo-request';
      readonly urls: readonly string[];
      /** `all`: not even their names are told. */
      readonly released: readonly string[] | 'all';
    }
  | { readonly kind: 'photo-errors'; readonly source: OfferSource; readonly errors: readonly PhotoError[] };
export type PhotoError = { readonly url: string; readonly reason: string };

/** Everything that one commit must make true together. */
export type OfferChange = {
  readonly offer: Offer;
  /** The bodies that must be written; the head always is. */
  readonly kinds: readonly OfferKind[];
  /** The version it was decided on; 0: the offer was not there. */
  readonly expectedVersion: number;
  readonly presets: readonly PresetMove[];
  readonly totals: readonly TotalMove[];
  /** Which of a seller's total rows moves: chance spreads a busy seller over several. */
  readonly stripe: number;
  /** Of the seller: whatever the change tells leaves through this part of the queue. */
  readonly shard: number;
  /** What the topic tells: every version has one record, also where only an opinion was heard. */
  readonly exported: OfferView;
  readonly messages: readonly OfferMessage[];
  readonly timerAdded: TimerKey | undefined;
  readonly timerRemoved: TimerKey | undefined;
  readonly history: HistoryEntry;
};

/** What a decision settles; the rest of the record follows from the change itself. */
export type NextOffer = Omit<Offer, 'version' | 'updatedAtUs' | 'retiredAtUs' | 'commands'>;
export type ChangeFacts = {
  readonly command: OfferCommand;
  readonly nowUs: number;
  readonly shards: number;
  readonly stripe: number;
  readonly sale: HistoryEntry['sale'];
};

const salesOf = (sale: HistoryEntry['sale']): readonly TotalMove[] => {
  if (!sale) return [];
  const { earned } = sale;
  const money = earned
    ? [{ total: 'MoneyEarned' as const, currency: earned.currency, by: earned.minorUnits }]
    : [];
  return [{ total: 'Sold', currency: '', by: 1 }, ...money];
};

/** What the feed is told of an offer that is not removed; undefined: no feed is told. */
const failuresOf = (offer: Offer | undefined): readonly PhotoError[] | undefined =>
  offer?.source && offer.lifecycle !== 'removed'
    ? offer.images.flatMap(({ url, outcome }) =>
        outcome.kind === 'failed' ? [{ url, reason: outcome.reason }] : [],
      )
    : undefined;
const sameFailures = (one: readonly PhotoError[], other: readonly PhotoError[]): boolean =>
  one.length === other.length &&
  one.every(({ url, reason }) => other.some((known) => known.url === url && known.reason === reason));
/** The whole list whenever it changes, so that an error also goes: mended, or the offer left the feed. */
const photoErrorsOf = (current: Offer | undefined, offer: Offer): readonly OfferMessage[] => {
  const source = offer.source ?? current?.source;
  if (
    !source ||
    (current?.images === offer.images &&
      current.lifecycle === offer.lifecycle &&
      current.source === offer.source)
  )
    return [];
  const before = failuresOf(current) ?? [];
  const now = failuresOf(offer) ?? [];
  return sameFailures(before, now) ? [] : [{ kind: 'photo-errors', source, errors: now }];
};
/**
 * New pictures are asked for, and those that are named no more are let go; an offer that is removed still names its own.
 * A feed is told all failures of its offer when they change.
 */
const messagesOf = (
  current: Offer | undefined,
  offer: Offer,
  command: OfferCommand,
): readonly OfferMessage[] => {
  const urls = offer.lifecycle === 'removed' ? [] : newPhotos(current, offer);
  const released = releasedPhotos(current, offer);
  // Of an erased seller nothing is named; the feeds erase their own.
  const errors = command.kind === 'erase' ? [] : photoErrorsOf(current, offer);
  if (urls.length + released.length === 0) return errors;
  const gone = command.kind === 'erase' ? ('all' as const) : released;
  return [{ kind: 'photo-request', urls, released: gone }, ...errors];
};

export const resultOf = (
  offer: Pick<Offer, 'id' | 'version' | 'updatedAtUs' | 'lifecycle' | 'ban'>,
): CommandResult => ({
  offerId: offer.id,
  version: offer.version,
  updatedAtUs: offer.updatedAtUs,
  status: offerStatus(offer),
});

/** The change that leads from `current` to `next`. A clock that stands or jumps back never takes `updatedAtUs` along. */
export const changeOf = (current: Offer | undefined, next: NextOffer, facts: ChangeFacts): OfferChange => {
  const { command, nowUs, shards, stripe, sale } = facts;
  const version = (current?.version ?? 0) + 1;
  const updatedAtUs = Math.max(nowUs, (current?.updatedAtUs ?? 0) + 1);
  const { lifecycle, ban } = next;
  const applied = {
    id: command.id,
    version,
    updatedAtUs,
    status: offerStatus({ lifecycle, ban }),
    ...fingerprintField(command),
  };
  // Names of commands are the callers' own words.
  const earlier = command.kind === 'erase' ? [] : (current?.commands ?? []);
  const offer: Offer = {
    ...next,
    images: imagesOf(next),
    version,
    updatedAtUs,
    retiredAtUs: retiredSince(current, { lifecycle, updatedAtUs }),
    commands: rememberedCommands([applied, ...earlier]),
  };
  const from = current && offerStatus(current);
  const to = offerStatus(offer);
  const move = moveBetween(from, to);
  const line = (preset: Preset, by: 1 | -1): PresetMove => ({
    seller: offer.seller,
    preset,
    createdAtUs: offer.createdAtUs,
    offerId: offer.id,
    by,
  });
  const timerBefore = timerOf(current, shards);
  const timerAfter = timerOf(offer, shards);
  const timerMoves = timerBefore?.what !== timerAfter?.what || timerBefore?.atUs !== timerAfter?.atUs;
  return {
    offer,
    kinds: changedKinds(current, offer),
    expectedVersion: version - 1,
    presets: [
      ...move.removed.map((preset) => line(preset, -1)),
      ...move.added.map((preset) => line(preset, 1)),
    ],
    totals: [...move.totals.map((one) => ({ ...one, currency: '' })), ...salesOf(sale)],
    stripe,
    shard: shardOf(offer.seller, shards),
    exported: viewOf(offer),
    messages: messagesOf(current, offer, command),
    timerAdded: timerMoves ? timerAfter : undefined,
    timerRemoved: timerMoves ? timerBefore : undefined,
    history: {
      offerId: offer.id,
      version,
      atUs: updatedAtUs,
      command: command.kind,
      commandId: command.id,
      by: command.by,
      from,
      to,
      sale,
      details: detailsOf(current, offer, command),
    },
  };
};

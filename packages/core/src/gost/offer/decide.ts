import { err, ok, type Result } from 'neverthrow';
import { sameValue, unreachable } from '../../kernel/index.ts';
import type {
  BanOffer,
  ChangeCommand,
  CommandIdReused,
  EditOffer,
  GostError,
  OfferCommand,
  PublishOffer,
  SellOffer,
  UnbanOffer,
} from './command.ts';
import { erase } from '../erasure/erasure.ts';
import { comeBack, updateFromFeed, turnManual } from '../autoload/feed-steps.ts';
import { afterUnban, countSale, moveLifecycle, type LifecycleCommand } from './lifecycle.ts';
import type { CommandResult, Geo, Offer } from './offer.ts';
import { changeOf, resultOf, type OfferChange } from './offer-change.ts';
import { isReused } from './remembered-commands.ts';
import { attachPhotos } from '../photos/photo-steps.ts';
import {
  checked,
  expiryFrom,
  hasSameContent,
  withContent,
  type DecisionContext,
  type Step,
  type Steps,
} from './step.ts';

/** `none`: the offer already is as the command asks. Nothing is committed or published. `repeated`: this command was applied before. */
export type Decision =
  | {
      readonly kind: 'change';
      readonly change: OfferChange;
      readonly result: CommandResult;
      /** False: a version is withContent, but nothing that others see has changed. */
      readonly changed: boolean;
    }
  | { readonly kind: 'none'; readonly result: CommandResult; readonly repeated: boolean };

const publish = (command: PublishOffer, context: DecisionContext): Result<Step, GostError> =>
  checked(command.content, context).map((): Step => {
    const source = command.source;
    return {
      next: {
        id: command.offerId,
        seller: command.seller,
        source,
        ...withContent(command.content, command.geo, context),
        images: [],
        lifecycle: 'active',
        ban: undefined,
        opinionVersion: 0,
        soldOnPlatform: false,
        createdAtUs: context.nowUs,
        expiresAtUs: expiryFrom({ source }, context),
      },
    };
  });

/** A geocoder that could not be asked takes away nothing that it had found for the same place. */
const geoAfter = (offer: Offer, { content, geo }: EditOffer): Geo | undefined =>
  geo ?? (sameValue(content.place, offer.content.place) ? offer.geo : undefined);

const edit = (offer: Offer, command: EditOffer, context: DecisionContext): Steps => {
  const { content, expected } = command;
  const { id, version } = offer;
  if (expected !== undefined && expected !== version)
    return err({ kind: 'StaleVersion', offerId: id, expected, actual: version });
  return checked(content, context).map(() => {
    const geo = geoAfter(offer, command);
    if (hasSameContent(offer, content, geo)) return undefined;
    return { next: { ...offer, content, geo, catalogVersion: context.catalog.version } };
  });
};
const sell = (offer: Offer, { onPlatform }: SellOffer): Step | undefined => {
  const { counts, soldOnPlatform } = countSale(offer.soldOnPlatform, onPlatform);
  if (offer.lifecycle === 'sold' && !counts) return undefined;
  const sale = counts ? { earned: offer.content.price } : undefined;
  return { next: { ...offer, lifecycle: 'sold', soldOnPlatform }, sale };
};
/** Older opinions never overwrite newer ones. A removed offer, and one that is not banned, stores the opinion. */
const moderate = (
  offer: Offer,
  command: BanOffer | UnbanOffer,
  context: DecisionContext,
): Step | undefined => {
  const { opinionVersion } = command;
  if (opinionVersion <= offer.opinionVersion) return undefined;
  const heard = { ...offer, opinionVersion };
  if (offer.lifecycle === 'removed') return { next: heard, changed: false };
  if (command.kind === 'ban') {
    const ban = { editable: command.editable, reasons: command.reasons };
    return sameValue(ban, offer.ban) ? { next: heard, changed: false } : { next: { ...heard, ban } };
  }
  if (!offer.ban) return { next: heard, changed: false };
  const { nowUs } = context;
  const lifecycle = afterUnban(offer.lifecycle, { expiresAtUs: offer.expiresAtUs, nowUs });
  return { next: { ...heard, ban: undefined, lifecycle } };
};
const prolong = (offer: Offer, context: DecisionContext): Steps => {
  const refuse = (kind: 'NotFound' | 'Banned' | 'NotActive'): Steps => err({ kind, offerId: offer.id });
  if (offer.lifecycle === 'removed') return refuse('NotFound');
  if (offer.ban) return refuse('Banned');
  if (offer.lifecycle !== 'active') return refuse('NotActive');
  const expiresAtUs = expiryFrom(offer, context);
  const longer = expiresAtUs !== undefined && expiresAtUs > (offer.expiresAtUs ?? 0);
  return ok(longer ? { next: { ...offer, expiresAtUs } } : undefined);
};
const isDue = ({ expiresAtUs }: Offer, { nowUs }: DecisionContext): boolean =>
  expiresAtUs !== undefined && expiresAtUs <= nowUs;

/** Table T2, its rows that go by lifecycle. */
const byLifecycle = (
  offer: Offer,
  command: Extract<ChangeCommand, { kind: LifecycleCommand }>,
  context: DecisionContext,
): Steps =>
  moveLifecycle(offer, command.kind)
    .mapErr((kind): GostError => ({ kind, offerId: offer.id }))
    .andThen((lifecycle): Steps => {
      if (command.kind === 'edit') return edit(offer, command, context);
      if (command.kind === 'sell') return ok(sell(offer, command));
      if (command.kind === 'photos') return ok(lifecycle && attachPhotos(offer, command));
      if (command.kind === 'feedUpdate')
        return updateFromFeed(offer, command, lifecycle ?? offer.lifecycle, context);
      if (command.kind === 'erase') return ok(erase(offer, context));
      if (command.kind === 'manual') return lifecycle ? turnManual(offer, context) : ok(undefined);
      if (lifecycle === undefined || (command.kind === 'expire' && !isDue(offer, context)))
        return ok(undefined);
      const expiresAtUs = command.kind === 'activate' ? expiryFrom(offer, context) : offer.expiresAtUs;
      return ok({ next: { ...offer, lifecycle, expiresAtUs } });
    });

const stepOf = (offer: Offer, command: ChangeCommand, context: DecisionContext): Steps => {
  switch (command.kind) {
    case 'ban':
    case 'unban':
      return ok(moderate(offer, command, context));
    case 'prolong':
      return prolong(offer, context);
    case 'feedUpdate':
      // Only who has looked at the feed's row knows whether it may come back.
      return offer.lifecycle === 'removed' && offer.ban
        ? comeBack(offer, command, context)
        : byLifecycle(offer, command, context);
    case 'edit':
    case 'photos':
    case 'manual':
    case 'activate':
    case 'hide':
    case 'sell':
    case 'expire':
    case 'remove':
    case 'erase':
      return byLifecycle(offer, command, context);
    default:
      return unreachable(command);
  }
};

/** What the command has made of the offer, if it was applied lately. */
const appliedTo = (
  { id, commands }: Offer,
  command: OfferCommand,
): Result<Decision, CommandIdReused> | undefined => {
  const before = commands.find((one) => one.id === command.id);
  if (!before) return undefined;
  if (isReused(before, command)) return err({ kind: 'CommandIdReused', offerId: id });
  const { version, updatedAtUs, status } = before;
  return ok({ kind: 'none', result: { offerId: id, version, updatedAtUs, status }, repeated: true });
};

const conclude = (
  current: Offer | undefined,
  { next, sale, changed = true }: Step,
  command: OfferCommand,
  { nowUs, shards, stripe }: DecisionContext,
): Decision => {
  const change = changeOf(current, next, { command, nowUs, shards, stripe, sale });
  return { kind: 'change', change, result: resultOf(change.offer), changed };
};

/** A new offer. The same command again is answered with what it made; another one finds the id taken. */
export const decidePublish = (
  current: Offer | undefined,
  command: PublishOffer,
  context: DecisionContext,
): Result<Decision, GostError> => {
  const before = current && appliedTo(current, command);
  if (before) return before;
  if (current) return err({ kind: 'IdTaken', offerId: command.offerId });
  return publish(command, context).map((step) => conclude(undefined, step, command, context));
};

/** A command to an offer that exists. Pure: the same offer, command and context always give the same change. */
export const decide = (
  current: Offer,
  command: ChangeCommand,
  context: DecisionContext,
): Result<Decision, GostError> => {
  if (command.seller !== undefined && command.seller !== current.seller)
    return err({ kind: 'NotOwner', offerId: current.id });
  const before = appliedTo(current, command);
  if (before) return before;
  return stepOf(current, command, context).map((step) =>
    step
      ? conclude(current, step, command, context)
      : { kind: 'none', result: resultOf(current), repeated: false },
  );
};

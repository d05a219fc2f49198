import { ok } from 'neverthrow';
import type { UpdateFromFeed } from '../offer/command.ts';
import type { Offer } from '../offer/offer.ts';
import type { Lifecycle } from '../offer/status.ts';
import {
  checked,
  expiryFrom,
  hasSameContent,
  withContent,
  type DecisionContext,
  type Step,
  type Steps,
} from '../offer/step.ts';

/** What a feed says of an offer it has brought before; `lifecycle` is where T2 leads. */
export const updateFromFeed = (
  offer: Offer,
  { content, geo }: UpdateFromFeed,
  lifecycle: Lifecycle,
  context: DecisionContext,
): Steps =>
  checked(content, context).map(() => {
    const same = hasSameContent(offer, content, geo);
    if (same && lifecycle === offer.lifecycle) return undefined;
    const said = same ? {} : withContent(content, geo, context);
    return { next: { ...offer, ...said, lifecycle, expiresAtUs: undefined } };
  });

/** A banned offer that the feed had dropped is back: its old id, its ban, and what the feed says now. */
export const comeBack = (
  offer: Offer,
  { content, geo, source }: UpdateFromFeed,
  context: DecisionContext,
): Steps =>
  checked(content, context).map((): Step => ({
    next: {
      ...offer,
      ...withContent(content, geo, context),
      source,
      lifecycle: 'active',
      expiresAtUs: undefined,
    },
  }));

/** The feed lets go of the offer: from now on it is the seller's own, with a term like any other. */
export const turnManual = (offer: Offer, context: DecisionContext): Steps => {
  if (!offer.source) return ok(undefined);
  const free = { ...offer, source: undefined };
  const expiresAtUs = offer.lifecycle === 'sold' ? undefined : expiryFrom(free, context);
  return ok({ next: { ...free, expiresAtUs } });
};

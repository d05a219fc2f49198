import { err, ok, type Result } from 'neverthrow';
import type { Catalog } from '../../catalog/index.ts';
import { invalidInputOf, sameValue } from '../../kernel/index.ts';
import type { GostError } from './command.ts';
import type { Geo, Offer, OfferContent } from './offer.ts';
import type { ChangeFacts, NextOffer } from './offer-change.ts';
import { violationsOf, type OfferLimits } from './validation.ts';

/** All that a decision may know besides the offer and the command. */
export type DecisionContext = {
  readonly nowUs: number;
  readonly catalog: Catalog;
  readonly limits: OfferLimits;
  /** How long an offer is active before it runs out. */
  readonly lifetimeUs: number;
  readonly shards: number;
  readonly stripe: number;
};

/** Where a command leads: the next record, or undefined where it changes nothing. */
export type Step = { readonly next: NextOffer } & Partial<Pick<ChangeFacts, 'sale'>> & {
    /** False: an opinion was heard, and what others see stays as it was. */
    readonly changed?: boolean;
  };
export type Steps = Result<Step | undefined, GostError>;

export const checked = (
  content: OfferContent,
  { catalog, limits }: DecisionContext,
): Result<void, GostError> => {
  const violations = violationsOf(content, catalog, limits);
  return violations.length > 0 ? err(invalidInputOf(violations)) : ok(undefined);
};
export const withContent = (content: OfferContent, geo: Geo | undefined, { catalog }: DecisionContext) => ({
  content,
  geo,
  catalogVersion: catalog.version,
});
/** Whether content and place of the offer are already these. */
export const hasSameContent = (offer: Offer, content: OfferContent, geo: Geo | undefined): boolean =>
  sameValue(offer.content, content) && sameValue(offer.geo, geo);
/** Offers of a feed live as long as their feed has them. */
export const expiryFrom = (
  { source }: Pick<Offer, 'source'>,
  { nowUs, lifetimeUs }: DecisionContext,
): number | undefined => (source ? undefined : nowUs + lifetimeUs);

import { decide } from '../offer/decide.ts';
import type { FeedRow } from './feed.ts';
import type { FeedTerminal } from './feed-message.ts';
import type { CommandId, Offer } from '../offer/offer.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import type { DecisionContext } from '../offer/step.ts';

/** What becomes of a row that the load did not have: it is forgotten, or kept because its offer may come back banned. */
export type AbsenceDecision = {
  readonly externalId: string;
  readonly kept: FeedRow | undefined;
  readonly change: OfferChange | undefined;
  readonly became: 'removed' | 'manual' | 'nothing';
};

/** Table T2, the row "feed terminal, absent": removed or turned manual; what is sold is always the seller's. */
export const decideAbsence = (
  row: FeedRow,
  offer: Offer | undefined,
  { task, absent, namespace }: Pick<FeedTerminal, 'task' | 'absent' | 'namespace'>,
  context: DecisionContext,
): AbsenceDecision => {
  const { externalId } = row;
  const nothing: AbsenceDecision = { externalId, kept: undefined, change: undefined, became: 'nothing' };
  if (!offer || offer.lifecycle === 'removed') return nothing;
  const manual = absent === 'manual' || offer.lifecycle === 'sold';
  const id = `feed/${namespace}/${task}/absent` as CommandId;
  const decision = decide(
    offer,
    { kind: manual ? 'manual' : 'remove', id, by: 'feed', feed: { namespace, task } },
    context,
  );
  if (decision.isErr() || decision.value.kind === 'none') return nothing;
  const { change } = decision.value;
  if (manual) return { externalId, kept: undefined, change, became: 'manual' };
  const kept = offer.ban ? { ...row, removedAtUs: context.nowUs } : undefined;
  return { externalId, kept, change, became: 'removed' };
};

import type { Malformed, RecordOutcome, Unavailable, Violation } from '../kernel/index.ts';
import type { ChangeCommand } from './offer/command.ts';
import type { ChangeOffer, ChangeOfferError } from './offer/change-offers.use-case.ts';
import type { OfferId } from './offer/offer-id.ts';

/** How a consumed record ended, for metrics. `unknown`: no such offer. `answered`: a message of a feed. */
export type ConsumedOutcome = 'changed' | 'unchanged' | 'unknown' | 'archived' | 'refused' | 'answered';
export type ConsumerNeeds = {
  /** The pause before a record is tried again: the store is away, or the catalogue is not loaded yet. */
  readonly retryMs?: number;
  readonly onOutcome?: (outcome: ConsumedOutcome) => void;
};

export const malformedRecord = ({ what, field }: Malformed): RecordOutcome => ({
  kind: 'poison',
  reason: `Malformed: ${what}${field === undefined ? '' : ` (${field})`}`,
});
export const retryLater = ({ retryMs = 1_000 }: ConsumerNeeds, reason: string): RecordOutcome => ({
  kind: 'retry',
  afterMs: retryMs,
  reason,
});
/** The store failed. An error about the data comes again, so it may be retried only a few times. */
export const retryUnavailable = (
  needs: ConsumerNeeds,
  { what, retryable, cause }: Unavailable,
): RecordOutcome => ({
  kind: 'retry',
  afterMs: needs.retryMs ?? 1_000,
  reason: cause instanceof Error ? `${what}: ${cause.message}` : what,
  lasting: !retryable,
});
/** A record whose fields break their bounds: the first broken ones, as a reason that fits a dead letter. */
export const outOfBounds = (violations: readonly Violation[]): RecordOutcome => ({
  kind: 'poison',
  reason: `Out of bounds: ${violations
    .slice(0, 5)
    .map(({ path, code, message }) => `${path} ${code} (${message})`)
    .join('; ')}`,
});

/** Applies the command that a record gives. A refusal ends the record: trying again would not help. */
export const applyRecordCommand = async (
  changeOffer: ChangeOffer,
  offerId: OfferId,
  command: ChangeCommand,
  needs: ConsumerNeeds,
): Promise<RecordOutcome> => {
  const afterError = (error: ChangeOfferError): RecordOutcome | ConsumedOutcome => {
    if (error.kind === 'Unavailable') return retryUnavailable(needs, error);
    if (error.kind === 'CatalogNotLoaded') return retryLater(needs, 'the catalogue is not loaded yet');
    if (error.kind === 'Archived') return 'archived';
    return error.kind === 'NotFound' ? 'unknown' : 'refused';
  };
  const outcome = (await changeOffer({ offerId, command })).match<RecordOutcome | ConsumedOutcome>(
    ({ changed }) => (changed ? 'changed' : 'unchanged'),
    afterError,
  );
  if (typeof outcome !== 'string') return outcome;
  needs.onOutcome?.(outcome);
  return { kind: 'done' };
};

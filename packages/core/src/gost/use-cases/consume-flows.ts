import type { Malformed, RecordHandler, RecordOutcome } from '../../kernel/index.ts';
import type { Photo } from '../../photos/index.ts';
import type { ChangeCommand } from '../domain/command.ts';
import type { ModerationOpinion } from '../domain/feed-message.ts';
import type { CommandId, OfferImage } from '../domain/offer.ts';
import { parseOfferId, type OfferId } from '../domain/offer-id.ts';
import type { FlowCodecs } from '../ports/flow-codecs.port.ts';
import type { ChangeOffer, ChangeOfferError } from './change-offers.ts';
import type { LoadFeed } from './load-feed.ts';

/** What became of a record, for counting: `unknown` speaks of an offer that is nobody's, `answered` of a feed's message. */
export type FlowOutcome = 'changed' | 'unchanged' | 'unknown' | 'archived' | 'refused' | 'answered';
export type ConsumeFlowsNeeds = {
  readonly changeOffer: ChangeOffer;
  readonly loadFeed: LoadFeed;
  readonly codecs: FlowCodecs;
  /** The pause after our own storage failed, or before the catalogue is there. */
  readonly retryMs?: number;
  readonly onOutcome?: (flow: 'moderation' | 'photos' | 'feeds', outcome: FlowOutcome) => void;
};
export type Flows = {
  /** Of `moderation-opinions`. An opinion about an unknown or archived offer is counted, not tried again. */
  readonly opinions: RecordHandler;
  /** Of `photo-results`. What the offer no longer names is dropped. */
  readonly photos: RecordHandler;
  /** Of `feed-offers`. */
  readonly feeds: RecordHandler;
};

const poison = ({ what, field }: Malformed): RecordOutcome => ({
  kind: 'poison',
  reason: `Malformed: ${what}${field === undefined ? '' : ` (${field})`}`,
});
const opinionCommand = ({ version, verdict, reasons, editable }: ModerationOpinion): ChangeCommand => {
  const command = {
    id: `opinion/${version}` as CommandId,
    by: 'moderation',
    opinionVersion: version,
  } as const;
  return verdict === 'banned'
    ? { ...command, kind: 'ban', reasons, editable }
    : { ...command, kind: 'unban' };
};
const imageOf = ({ url, outcome }: Photo): OfferImage =>
  outcome.kind === 'ready'
    ? {
        url,
        outcome: {
          kind: 'ready',
          imageId: outcome.imageId,
          width: outcome.width,
          height: outcome.height,
        },
      }
    : { url, outcome: { kind: 'failed', reason: outcome.code } };

/** Everything that flows into the offer store goes the way of every other change: decide, commit. */
export const makeConsumeFlows = ({
  changeOffer,
  loadFeed,
  codecs,
  retryMs = 1_000,
  onOutcome = () => {},
}: ConsumeFlowsNeeds): Flows => {
  const later = (reason: string): RecordOutcome => ({ kind: 'retry', afterMs: retryMs, reason });
  const afterError = (error: ChangeOfferError): RecordOutcome | FlowOutcome => {
    if (error.kind === 'Unavailable') return later(error.what);
    if (error.kind === 'CatalogNotLoaded') return later('the catalogue is not loaded yet');
    if (error.kind === 'Archived') return 'archived';
    return error.kind === 'NotFound' ? 'unknown' : 'refused';
  };
  const change = async (
    flow: 'moderation' | 'photos',
    offerId: OfferId,
    command: ChangeCommand,
  ): Promise<RecordOutcome> => {
    const outcome = (await changeOffer({ offerId, command })).match<RecordOutcome | FlowOutcome>(
      ({ changed }) => (changed ? 'changed' : 'unchanged'),
      afterError,
    );
    if (typeof outcome !== 'string') return outcome;
    onOutcome(flow, outcome);
    return { kind: 'done' };
  };
  return {
    opinions: async ({ value }) => {
      const opinion = codecs.opinions.decode(value);
      if (opinion.isErr()) return poison(opinion.error);
      return change('moderation', opinion.value.offerId, opinionCommand(opinion.value));
    },
    photos: async ({ value, position }) => {
      const result = codecs.photoResults.decode(value);
      if (result.isErr()) return poison(result.error);
      const offerId = parseOfferId(result.value.offerId);
      if (offerId.isErr()) return poison({ kind: 'Malformed', what: 'PhotoResult', field: 'offer_id' });
      // By its place in the topic: the same record again is the same command, a like one later is another.
      const id = `photos/${position.log}/${position.partition}/${position.offset}` as CommandId;
      const photos = result.value.photos.map(imageOf);
      return change('photos', offerId.value, { kind: 'photos', id, by: 'photos', photos });
    },
    feeds: async ({ value }) => {
      const message = codecs.feedOffers.decode(value);
      if (message.isErr()) return poison(message.error);
      const step = await loadFeed(message.value);
      if (step.isOk()) {
        if (step.value === 'again') return { kind: 'again' };
        onOutcome('feeds', 'answered');
        return { kind: 'done' };
      }
      return later(step.error.kind === 'Unavailable' ? step.error.what : step.error.kind);
    },
  };
};

import type { Codec, RecordHandler } from '../../kernel/index.ts';
import {
  applyRecordCommand,
  malformedRecord,
  outOfBounds,
  type ConsumerNeeds,
} from '../consumed-record.use-case.ts';
import type { ChangeOffer } from '../offer/change-offers.use-case.ts';
import { opinionCommand, opinionViolations, type ModerationOpinion } from './opinion.ts';

export type ConsumeOpinionsNeeds = ConsumerNeeds & {
  readonly changeOffer: ChangeOffer;
  readonly codec: Codec<ModerationOpinion>;
};

/** Handles `moderation-opinions`. An opinion about an unknown or archived offer is counted and not tried again. */
export const makeConsumeOpinions =
  (needs: ConsumeOpinionsNeeds): RecordHandler =>
  async ({ value }) => {
    const opinion = needs.codec.decode(value);
    if (opinion.isErr()) return malformedRecord(opinion.error);
    const broken = opinionViolations(opinion.value);
    if (broken.length > 0) return outOfBounds(broken);
    return applyRecordCommand(needs.changeOffer, opinion.value.offerId, opinionCommand(opinion.value), needs);
  };

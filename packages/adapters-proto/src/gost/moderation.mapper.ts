import { parseOfferId, type ModerationOpinion } from '@doska/core/gost';
import type { Malformed } from '@doska/core/kernel';
import { err, type Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import { ModerationVerdict, type ModerationOpinion as Pb } from '../generated/doska/gost/v1/moderation.ts';

const verdicts = enumTable<ModerationOpinion['verdict']>({
  allowed: ModerationVerdict.MODERATION_VERDICT_ALLOWED,
  banned: ModerationVerdict.MODERATION_VERDICT_BANNED,
});
const malformed = (field: string): Malformed => ({ kind: 'Malformed', what: 'moderation opinion', field });

export const opinionToPb = ({ offerId, version, verdict, reasons, editable }: ModerationOpinion): Pb => ({
  offerId,
  version: BigInt(version),
  reasons: [...reasons],
  editable,
  verdict: verdicts.toPb(verdict) as ModerationVerdict,
});
export const opinionFromPb = ({
  offerId,
  version,
  verdict,
  reasons,
  editable,
}: Pb): Result<ModerationOpinion, Malformed> => {
  const known = verdicts.fromPb(verdict);
  if (!known) return err(malformed('verdict'));
  return parseOfferId(offerId)
    .map((id) => ({ offerId: id, version: Number(version), verdict: known, reasons, editable }))
    .mapErr(() => malformed('offer_id'));
};

import type { Violation } from '../../kernel/index.ts';
import type { ChangeCommand } from '../offer/command.ts';
import type { CommandId } from '../offer/offer.ts';
import { offerIdViolations, opinionVersionViolations, reasonsViolations } from '../offer/field-rules.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** What moderation thinks of an offer. A newer version stands above an older one. */
export type ModerationOpinion = {
  readonly offerId: OfferId;
  readonly version: number;
  readonly verdict: 'allowed' | 'banned';
  readonly reasons: readonly string[];
  readonly editable: boolean;
};

/** What no store can keep of an opinion. */
export const opinionViolations = ({ offerId, version, reasons }: ModerationOpinion): readonly Violation[] => [
  ...offerIdViolations(offerId),
  ...opinionVersionViolations(version, 'version'),
  ...reasonsViolations(reasons),
];

/** The command that an opinion gives. Its id is the opinion's version, so a repeated opinion is a repeated command. */
export const opinionCommand = ({ version, verdict, reasons, editable }: ModerationOpinion): ChangeCommand => {
  const command = {
    id: `opinion/${version}` as CommandId,
    by: 'moderation',
    opinionVersion: version,
  } as const;
  return verdict === 'banned'
    ? { ...command, kind: 'ban', reasons, editable }
    : { ...command, kind: 'unban' };
};

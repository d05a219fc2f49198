import { enumTable, moneyToPb, statuses, textFromPb, textToPb, viewToPb } from '@doska/adapters-proto';
import type { Draft } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import type { OfferStatus, OfferText as PbText } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import {
  BulkAction as PbAction,
  Preset as PbPreset,
  type GetSummaryResponse,
  type Offer as PbOffer,
  type OfferState,
  type OfferVerdict,
  type RepairCountsResponse,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import type { CategoryId } from '@doska/core/catalog';
import {
  commandIdViolations,
  emptyText,
  offerIdViolations,
  opinionVersionViolations,
  parseOfferId,
  reasonsViolations,
  viewOf,
  type BulkAction,
  type BulkVerdict,
  type CommandId,
  type CommandResult,
  type FoundOffer,
  type Offer,
  type OfferContent,
  type OfferDraft,
  type OfferId,
  type OfferText,
  type Preset,
  type SellerDrift,
  type SellerTotals,
} from '@doska/core/gost';
import {
  invalidInput,
  invalidInputOf,
  wholeNumber,
  type InvalidInput,
  type Malformed,
  type Violation,
} from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import { inWords } from './gost-errors.ts';

const presets = enumTable<Preset>({
  all: PbPreset.PRESET_ALL,
  active: PbPreset.PRESET_ACTIVE,
  inactive: PbPreset.PRESET_INACTIVE,
  banned: PbPreset.PRESET_BANNED,
  sold: PbPreset.PRESET_SOLD,
});
const actions = enumTable<BulkAction>({
  hide: PbAction.BULK_ACTION_HIDE,
  activate: PbAction.BULK_ACTION_ACTIVATE,
  prolong: PbAction.BULK_ACTION_PROLONG,
  remove: PbAction.BULK_ACTION_REMOVE,
});
const unknownValue = (path: string): Result<never, InvalidInput> =>
  err(invalidInput({ path, code: 'UnknownValue', message: 'not known to this version' }));

export const presetFromPb = (wire: number): Result<Preset, InvalidInput> => {
  const preset = wire === PbPreset.PRESET_UNSPECIFIED ? 'all' : presets.fromPb(wire);
  return preset ? ok(preset) : unknownValue('preset');
};
export const actionFromPb = (wire: number): Result<BulkAction, InvalidInput> => {
  const action = actions.fromPb(wire);
  return action ? ok(action) : unknownValue('action');
};

/** The value, if nothing is wrong with it. */
export const unlessViolated = <T>(value: T, violations: readonly Violation[]): Result<T, InvalidInput> =>
  violations.length > 0 ? err(invalidInputOf(violations)) : ok(value);

export const offerIdFromPb = (text: string, path = 'offer_id'): Result<OfferId, InvalidInput> =>
  parseOfferId(text).mapErr(() => invalidInputOf(offerIdViolations(text, path)));
export const offerIdsFromPb = (
  texts: readonly string[],
  most: number,
): Result<readonly OfferId[], InvalidInput> => {
  if (texts.length > most)
    return err(invalidInput({ path: 'offer_ids', code: 'TooMany', message: `at most ${most}` }));
  const parsed = texts.map((text, i) => offerIdFromPb(text, `offer_ids[${i}]`));
  const wrong = parsed.flatMap((one) => (one.isErr() ? one.error.violations : []));
  return wrong.length > 0 ? err(invalidInputOf(wrong)) : Result.combine(parsed);
};
/** The caller's own id of a command, with a prefix that keeps it apart from ours; without one it gets a fresh id. */
export const commandIdFromPb = (text: string, fresh: () => string): Result<CommandId, InvalidInput> => {
  const id = text === '' ? `new/${fresh()}` : `api/${text}`;
  return unlessViolated(id as CommandId, commandIdViolations(text));
};
/** An opinion of moderation: its version names the command. */
export const opinionFromPb = (
  opinionVersion: bigint,
  reasons: readonly string[] = [],
): Result<Opinion, InvalidInput> => {
  const opinion = {
    id: `opinion/${opinionVersion}` as CommandId,
    by: 'moderation',
    opinionVersion: Number(opinionVersion),
  } as const;
  return unlessViolated(opinion, [
    ...opinionVersionViolations(opinionVersion),
    ...reasonsViolations(reasons),
  ]);
};
type Opinion = {
  readonly id: CommandId;
  readonly by: 'moderation';
  readonly opinionVersion: number;
};
/** The version that a caller has seen. */
export const expectedFromPb = (version: bigint): Result<number, InvalidInput> =>
  wholeNumber('expected_version', version);

const misread = ({ field }: Malformed): InvalidInput =>
  invalidInput({
    path: `text.${field ?? ''}`,
    code: 'UnknownValue',
    message: 'not known to this version',
  });
export const offerTextFromPb = (text: PbText | undefined): Result<OfferText, InvalidInput> =>
  text ? textFromPb(text).mapErr(misread) : ok(emptyText);
export const offerContentFromPb = (
  categoryId: string,
  text: PbText | undefined,
): Result<OfferContent, InvalidInput> =>
  offerTextFromPb(text).map((read) => ({ ...read, category: categoryId as CategoryId }));

export const draftToPb = ({ id, owner, category, content, lastUpdateUs }: OfferDraft): Draft => ({
  id,
  categoryId: category,
  text: textToPb(content),
  lastUpdateUs: BigInt(lastUpdateUs),
  anonymous: owner.kind === 'anonymous',
});
export const offerToPb = (offer: Offer): PbOffer => ({
  view: viewToPb(viewOf(offer)),
  contacts: { ...offer.content.contacts },
  banEditable: offer.ban?.editable ?? false,
  archivedAtUs: undefined,
});
export const foundToPb = ({ offer, archivedAtUs }: FoundOffer): PbOffer => ({
  ...offerToPb(offer),
  archivedAtUs: archivedAtUs === undefined ? undefined : BigInt(archivedAtUs),
});
export const stateToPb = ({
  offerId,
  version,
  updatedAtUs,
  status,
  changed,
}: CommandResult & { readonly changed: boolean }): OfferState => ({
  offerId,
  version: BigInt(version),
  updatedAtUs: BigInt(updatedAtUs),
  status: statuses.toPb(status) as OfferStatus,
  changed,
});
export const verdictToPb = ({ offerId, verdict }: BulkVerdict): OfferVerdict => ({
  offerId,
  verdict: verdict.match<OfferVerdict['verdict']>(
    (changed) => ({ $case: 'offer', value: stateToPb(changed) }),
    (error) => ({ $case: 'refusal', value: { reason: error.kind, message: inWords(error).message } }),
  ),
});

export const summaryToPb = (
  counts: Readonly<Record<Preset, number>>,
  totals: SellerTotals,
): GetSummaryResponse => ({
  counts: (Object.keys(counts) as Preset[]).map((preset) => ({
    preset: presets.toPb(preset) as PbPreset,
    offers: BigInt(counts[preset]),
  })),
  active: BigInt(totals.Active),
  expired: BigInt(totals.Expired),
  banned: BigInt(totals.Banned),
  sold: BigInt(totals.Sold),
  moneyEarned: Object.entries(totals.MoneyEarned).map(([currency, minorUnits]) =>
    moneyToPb({ currency, minorUnits }),
  ),
});
export const driftToPb = ({ lists, totals }: SellerDrift): RepairCountsResponse => ({
  drifted: [
    ...lists.map(({ preset, drift }) => ({ what: `list/${preset}`, drift: BigInt(drift) })),
    ...totals.map(({ total, currency, drift }) => ({
      what: currency === '' ? `total/${total}` : `total/${total}/${currency}`,
      drift: BigInt(drift),
    })),
  ],
});

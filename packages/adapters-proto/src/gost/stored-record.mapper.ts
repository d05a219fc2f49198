import type { CategoryId } from '@doska/core/catalog';
import type {
  CommandId,
  DraftId,
  DraftOwner,
  HistoryEntry,
  OfferCommand,
  OfferDraft,
  OfferField,
  OfferId,
} from '@doska/core/gost';
import type { HistoryDetails } from '@doska/core/gost/storage';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import { OfferStatus } from '../generated/doska/gost/v1/offer.ts';
import {
  CommandKind,
  CommandSource,
  OfferField as PbField,
  OwnerKind,
  type Draft as PbDraft,
  type HistoryDetails as PbDetails,
  type HistoryEntry as PbEntry,
} from '../generated/doska/gost/stored/v1/stored.ts';
import { moneyFromPb, moneyToPb, statuses, textFromPb, textToPb } from './offer.mapper.ts';

const owners = enumTable<DraftOwner['kind']>({
  user: OwnerKind.OWNER_KIND_USER,
  anonymous: OwnerKind.OWNER_KIND_ANONYMOUS,
});
const commands = enumTable<OfferCommand['kind']>({
  publish: CommandKind.COMMAND_KIND_PUBLISH,
  edit: CommandKind.COMMAND_KIND_EDIT,
  activate: CommandKind.COMMAND_KIND_ACTIVATE,
  hide: CommandKind.COMMAND_KIND_HIDE,
  sell: CommandKind.COMMAND_KIND_SELL,
  expire: CommandKind.COMMAND_KIND_EXPIRE,
  remove: CommandKind.COMMAND_KIND_REMOVE,
  prolong: CommandKind.COMMAND_KIND_PROLONG,
  ban: CommandKind.COMMAND_KIND_BAN,
  unban: CommandKind.COMMAND_KIND_UNBAN,
  feedUpdate: CommandKind.COMMAND_KIND_LOAD,
  manual: CommandKind.COMMAND_KIND_MANUAL,
  photos: CommandKind.COMMAND_KIND_PHOTOS,
  erase: CommandKind.COMMAND_KIND_ERASE,
});
const sources = enumTable<OfferCommand['by']>({
  seller: CommandSource.COMMAND_SOURCE_SELLER,
  feed: CommandSource.COMMAND_SOURCE_FEED,
  moderation: CommandSource.COMMAND_SOURCE_MODERATION,
  time: CommandSource.COMMAND_SOURCE_TIME,
  operator: CommandSource.COMMAND_SOURCE_OPERATOR,
  photos: CommandSource.COMMAND_SOURCE_PHOTOS,
});
const fields = enumTable<OfferField>({
  category: PbField.OFFER_FIELD_CATEGORY,
  title: PbField.OFFER_FIELD_TITLE,
  description: PbField.OFFER_FIELD_DESCRIPTION,
  price: PbField.OFFER_FIELD_PRICE,
  attributes: PbField.OFFER_FIELD_ATTRIBUTES,
  photos: PbField.OFFER_FIELD_PHOTOS,
  place: PbField.OFFER_FIELD_PLACE,
  contacts: PbField.OFFER_FIELD_CONTACTS,
  source: PbField.OFFER_FIELD_SOURCE,
});
const malformed = (what: string, field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what, field });

export const draftToPb = ({ id, owner, category, content, lastUpdateUs }: OfferDraft): PbDraft => ({
  id,
  ownerKind: owners.toPb(owner.kind) as OwnerKind,
  ownerId: owner.id,
  categoryId: category,
  text: textToPb(content),
  lastUpdateUs: BigInt(lastUpdateUs),
});
export const draftFromPb = (draft: PbDraft): Result<OfferDraft, Malformed> => {
  const kind = owners.fromPb(draft.ownerKind);
  if (!kind) return malformed('draft', 'owner_kind');
  if (!draft.text) return malformed('draft', 'text');
  return textFromPb(draft.text).map((content) => ({
    id: draft.id as DraftId,
    owner: { kind, id: draft.ownerId },
    category: draft.categoryId as CategoryId | undefined,
    content,
    lastUpdateUs: Number(draft.lastUpdateUs),
  }));
};

const detailsToPb = ({ fields: changed, opinion, feed, expiresAtUs, photos }: HistoryDetails): PbDetails => ({
  fields: changed.map((field) => fields.toPb(field) as PbField),
  opinion: opinion && { ...opinion, version: BigInt(opinion.version), reasons: [...opinion.reasons] },
  feed: feed && { namespace: feed.namespace, task: BigInt(feed.task) },
  expiresAtUs: expiresAtUs === undefined ? undefined : BigInt(expiresAtUs),
  photos,
});
/** A field that a newer version names is passed over: the rest of the entry is still true. */
const detailsFromPb = ({
  fields: changed,
  opinion,
  feed,
  expiresAtUs,
  photos,
}: PbDetails): HistoryDetails => ({
  fields: changed.flatMap((field) => fields.fromPb(field) ?? []),
  opinion: opinion && { ...opinion, version: Number(opinion.version) },
  feed: feed && { namespace: feed.namespace, task: Number(feed.task) },
  expiresAtUs: expiresAtUs === undefined ? undefined : Number(expiresAtUs),
  photos,
});
export const historyToPb = (entry: HistoryEntry): PbEntry => ({
  offerId: entry.offerId,
  version: BigInt(entry.version),
  atUs: BigInt(entry.atUs),
  command: commands.toPb(entry.command) as CommandKind,
  commandId: entry.commandId,
  by: sources.toPb(entry.by) as CommandSource,
  from: entry.from ? (statuses.toPb(entry.from) as OfferStatus) : OfferStatus.OFFER_STATUS_UNSPECIFIED,
  to: statuses.toPb(entry.to) as OfferStatus,
  sale: entry.sale && { earned: entry.sale.earned && moneyToPb(entry.sale.earned) },
  details: entry.details && detailsToPb(entry.details),
});
export const historyFromPb = (entry: PbEntry): Result<HistoryEntry, Malformed> => {
  const command = commands.fromPb(entry.command);
  const by = sources.fromPb(entry.by);
  const to = statuses.fromPb(entry.to);
  if (!command || !by || !to) return malformed('history entry', command ? (by ? 'to' : 'by') : 'command');
  return ok({
    offerId: entry.offerId as OfferId,
    version: Number(entry.version),
    atUs: Number(entry.atUs),
    command,
    commandId: entry.commandId as CommandId,
    by,
    from: statuses.fromPb(entry.from),
    to,
    sale: entry.sale && { earned: entry.sale.earned && moneyFromPb(entry.sale.earned) },
    details: entry.details && detailsFromPb(entry.details),
  });
};

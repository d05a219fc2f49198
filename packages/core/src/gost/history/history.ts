import { sameValue } from '../../kernel/index.ts';
import type { FeedLoad, OfferCommand } from '../offer/command.ts';
import type { CommandId, Money, Offer } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { Status } from '../offer/status.ts';

/** The parts of an offer that a change may touch, in the order of display. Their values are not kept. */
export const OFFER_FIELDS = [
  ...(['category', 'title', 'description', 'price', 'attributes'] as const),
  ...(['photos', 'place', 'contacts', 'source'] as const),
];
export type OfferField = (typeof OFFER_FIELDS)[number];

/** What a person must know, besides the statuses, to understand a change. Nothing in it is said by the seller. */
export type HistoryDetails = {
  readonly fields: readonly OfferField[];
  readonly opinion:
    { readonly version: number; readonly reasons: readonly string[]; readonly editable: boolean } | undefined;
  readonly feed: FeedLoad | undefined;
  /** When it runs out since this change; undefined: the change did not touch it, or it does not run out. */
  readonly expiresAtUs: number | undefined;
  /** How the pictures stand since this change, where it touched them. */
  readonly photos: { readonly named: number; readonly ready: number; readonly failed: number } | undefined;
};
/** Why an offer is in the state it is in. `sale`: the moment that `Sold` counted, with what was earned. */
export type HistoryEntry = {
  readonly offerId: OfferId;
  readonly version: number;
  readonly atUs: number;
  readonly command: OfferCommand['kind'];
  readonly commandId: CommandId;
  readonly by: OfferCommand['by'];
  readonly from: Status | undefined;
  readonly to: Status;
  readonly sale: { readonly earned: Money | undefined } | undefined;
  /** Undefined if there are no details, or if the entry is older than this field. */
  readonly details: HistoryDetails | undefined;
};

type Recorded = Pick<Offer, 'content' | 'source' | 'images' | 'expiresAtUs'>;
const valueOf = ({ content, source }: Recorded, field: OfferField): unknown =>
  field === 'source' ? source : content[field];
const fieldsOf = (before: Recorded, after: Recorded): readonly OfferField[] =>
  before.content === after.content && before.source === after.source
    ? []
    : OFFER_FIELDS.filter((field) => !sameValue(valueOf(before, field), valueOf(after, field)));
const photosOf = (before: Recorded | undefined, { content, images }: Recorded): HistoryDetails['photos'] => {
  if (!before && content.photos.length === 0) return undefined;
  if (before && before.images === images && before.content.photos.join() === content.photos.join())
    return undefined;
  const ready = images.filter(({ outcome }) => outcome.kind === 'ready').length;
  return { named: content.photos.length, ready, failed: images.length - ready };
};
const opinionOf = (command: OfferCommand): HistoryDetails['opinion'] => {
  if (command.kind !== 'ban' && command.kind !== 'unban') return undefined;
  const { reasons = [], editable = false } = command.kind === 'ban' ? command : {};
  return { version: command.opinionVersion, reasons, editable };
};

/** What a change leaves to be known of itself. Which fields a publication sets goes without saying. */
export const detailsOf = (
  before: Recorded | undefined,
  after: Recorded,
  command: OfferCommand,
): HistoryDetails | undefined => {
  const details: HistoryDetails = {
    fields: before ? fieldsOf(before, after) : [],
    opinion: opinionOf(command),
    feed: command.feed,
    expiresAtUs: before?.expiresAtUs === after.expiresAtUs ? undefined : after.expiresAtUs,
    photos: photosOf(before, after),
  };
  const { fields, opinion, feed, expiresAtUs, photos } = details;
  return fields.length > 0 || (opinion ?? feed ?? expiresAtUs ?? photos) !== undefined ? details : undefined;
};

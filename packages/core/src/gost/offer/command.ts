import type { InvalidInput } from '../../kernel/index.ts';
import type { Refusal } from './lifecycle.ts';
import type { CommandId, Geo, OfferContent, OfferImage, OfferSource, SellerId } from './offer.ts';
import type { OfferId } from './offer-id.ts';

/** A load of a feed: which of the seller's feeds, and the number of the load. */
export type FeedLoad = { readonly namespace: string; readonly task: number };
/** `by` and `feed` are kept in the history: who made the offer what it is. */
type Command<Kind extends string, Fields = object> = {
  readonly kind: Kind;
  readonly id: CommandId;
  readonly by: 'seller' | 'feed' | 'moderation' | 'photos' | 'time' | 'operator';
  /** When it is given, only this seller's offers obey. */
  readonly seller?: SellerId;
  /** The load that it is a part of. */
  readonly feed?: FeedLoad;
  /** The id is the caller's choice: it is remembered longer, and another command under it is refused. */
  readonly named?: boolean;
} & Readonly<Fields>;

export type PublishOffer = Command<
  'publish',
  {
    readonly offerId: OfferId;
    readonly seller: SellerId;
    readonly content: OfferContent;
    /** What the geocoder found; undefined: it knows no such place, or could not be asked. */
    readonly geo?: Geo | undefined;
    readonly source?: OfferSource;
  }
>;
/** `expected`: the version the editor has seen; without it the edit is made on whatever is there. */
export type EditOffer = Command<
  'edit',
  { readonly content: OfferContent; readonly geo?: Geo | undefined; readonly expected?: number }
>;
/** What a feed says of an offer that it brought before. */
export type UpdateFromFeed = Command<
  'feedUpdate',
  { readonly content: OfferContent; readonly geo: Geo | undefined; readonly source: OfferSource }
>;
/** What became of pictures of the offer. */
export type AttachPhotos = Command<'photos', { readonly photos: readonly OfferImage[] }>;
export type SellOffer = Command<'sell', { readonly onPlatform: boolean }>;
export type BanOffer = Command<
  'ban',
  { readonly editable: boolean; readonly reasons: readonly string[]; readonly opinionVersion: number }
>;
export type UnbanOffer = Command<'unban', { readonly opinionVersion: number }>;
/** `erase` takes out everything personal. */
type PlainKind = 'activate' | 'hide' | 'expire' | 'remove' | 'prolong' | 'manual' | 'erase';
export type PlainCommand = { [Kind in PlainKind]: Command<Kind> }[PlainKind];
/** All that changes an offer which exists. */
export type ChangeCommand =
  EditOffer | UpdateFromFeed | AttachPhotos | SellOffer | BanOffer | UnbanOffer | PlainCommand;
export type OfferCommand = PublishOffer | ChangeCommand;

export type Refused = { readonly kind: Refusal | 'NotOwner' | 'IdTaken'; readonly offerId: OfferId };
/** The editor has not seen the newest version; nothing was written. */
export type StaleVersion = {
  readonly kind: 'StaleVersion';
  readonly offerId: OfferId;
  readonly expected: number;
  readonly actual: number;
};
/** It is read, and nothing else, since then. */
export type Archived = {
  readonly kind: 'Archived';
  readonly offerId: OfferId;
  readonly archivedAtUs: number;
};
/** The id was used for another command of this offer; nothing was written. */
export type CommandIdReused = { readonly kind: 'CommandIdReused'; readonly offerId: OfferId };
export type GostError = Refused | StaleVersion | Archived | CommandIdReused | InvalidInput;

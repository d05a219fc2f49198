import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import { utf8Bytes, type Brand } from '../../kernel/index.ts';
import type { OfferId } from './offer-id.ts';
import { statusOf, type Lifecycle, type Status } from './status.ts';

export type SellerId = Brand<string, 'SellerId'>;
export type CommandId = Brand<string, 'CommandId'>;
/** Whole minor units (kopecks, cents) of an ISO 4217 currency. */
export type Money = { readonly minorUnits: number; readonly currency: string };
/** Where an offer of a feed comes from; a manual offer has none. */
export type OfferSource = { readonly namespace: string; readonly externalId: string };
/** A value of a dictionary is its id. */
export type AttributeValue = string | number | boolean;
export type OfferAttribute = {
  readonly attribute: AttributeId;
  readonly values: readonly AttributeValue[];
};
export type Place = {
  readonly address: string | undefined;
  readonly point: { readonly latitude: number; readonly longitude: number } | undefined;
};
/** Where the place is, as search asks for it: the geocoder finds it, the seller never says it. */
export type Geo = {
  readonly geoId: string;
  readonly district: string | undefined;
  /** Stations nearby, the nearest first. */
  readonly metro: readonly string[];
};
export type Contacts = {
  readonly name: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
};

/** What the seller says. A category may still be missing while it is a draft. */
export type OfferText = {
  readonly attributes: readonly OfferAttribute[];
  readonly title: string;
  readonly description: string;
  readonly price: Money | undefined;
  /** Addresses of pictures, the first is the cover. */
  readonly photos: readonly string[];
  readonly place: Place;
  readonly contacts: Contacts;
};
export type OfferContent = OfferText & { readonly category: CategoryId };
export const emptyText: OfferText = {
  attributes: [],
  title: '',
  description: '',
  price: undefined,
  photos: [],
  place: { address: undefined, point: undefined },
  contacts: { name: undefined, phone: undefined, email: undefined },
};

/** What became of a picture that the seller named; while nothing is known there is none. */
export type OfferImage = {
  readonly url: string;
  readonly outcome:
    | { readonly kind: 'ready'; readonly imageId: string; readonly width: number; readonly height: number }
    | { readonly kind: 'failed'; readonly reason: string };
};

export type Ban = { readonly editable: boolean; readonly reasons: readonly string[] };
/** What a command made of an offer: its answer, also when the command is repeated. */
export type CommandResult = {
  readonly offerId: OfferId;
  readonly version: number;
  readonly updatedAtUs: number;
  readonly status: Status;
};
export type AppliedCommand = {
  readonly id: CommandId;
  /** A hash of what the command said; only if its id was the caller's choice. */
  readonly fingerprint?: number;
} & Omit<CommandResult, 'offerId'>;
/** The last changes of any kind are remembered: a change whose answer was lost finds itself among them. */
export const COMMANDS_KEPT = 8;
/** Of changes under ids of callers so many are remembered, whatever else happened meanwhile. The contract promises it. */
export const NAMED_COMMANDS_KEPT = 32;

/** The record. Times are microseconds since the epoch; they fit a number until the year 2255. */
export type Offer = {
  readonly id: OfferId;
  readonly seller: SellerId;
  readonly source: OfferSource | undefined;
  readonly content: OfferContent;
  readonly geo: Geo | undefined;
  readonly images: readonly OfferImage[];
  /** The catalogue that the content was last checked with. */
  readonly catalogVersion: number;
  readonly lifecycle: Lifecycle;
  readonly ban: Ban | undefined;
  /** The newest opinion of moderation that was heard, 0 before the first; an unban is an opinion too. */
  readonly opinionVersion: number;
  /** Sticky: `Sold` counts an offer once. */
  readonly soldOnPlatform: boolean;
  readonly createdAtUs: number;
  /** Strictly increasing over all changes of the offer. */
  readonly updatedAtUs: number;
  /** Undefined: it does not expire by itself. */
  readonly expiresAtUs: number | undefined;
  /** Since when it is expired, sold or removed. Undefined while it is not, or if the record is older than this field. */
  readonly retiredAtUs: number | undefined;
  /** 1, 2, 3, … */
  readonly version: number;
  /** Applied ones, newest first: the last `COMMANDS_KEPT`, and the last `NAMED_COMMANDS_KEPT` that callers named. */
  readonly commands: readonly AppliedCommand[];
};

export const offerStatus = ({ lifecycle, ban }: Pick<Offer, 'lifecycle' | 'ban'>): Status =>
  statusOf({ lifecycle, banned: ban !== undefined });

/** Of names, numbers and what stands between them. */
const FIELD_BYTES = 16;
const bytesBy = (content: OfferText, bytesOf: (text: string) => number): number => {
  const { attributes, title, description, photos, place, contacts } = content;
  const { name = '', phone = '', email = '' } = contacts;
  let bytes = 10 * FIELD_BYTES + bytesOf(title) + bytesOf(description);
  bytes += bytesOf(place.address ?? '') + bytesOf(name) + bytesOf(phone) + bytesOf(email);
  for (const url of photos) bytes += FIELD_BYTES + bytesOf(url);
  for (const { attribute, values } of attributes) {
    bytes += FIELD_BYTES + attribute.length;
    for (const value of values) bytes += FIELD_BYTES + (typeof value === 'string' ? bytesOf(value) : 0);
  }
  return bytes;
};
/** What the content takes when it is stored: what a seller may say is measured with it. */
export const contentBytes = (content: OfferText): number => bytesBy(content, utf8Bytes);
/** About as much, without a look at a single letter: what groups and memories are filled by. */
export const roughBytes = (content: OfferText): number => bytesBy(content, ({ length }) => 2 * length);

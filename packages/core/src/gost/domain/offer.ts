import type { AttributeId, CategoryId } from '../../catalog/index.ts';
import { xxh64Bytes, type Brand } from '../../kernel/index.ts';
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
export type AppliedCommand = { readonly id: CommandId; readonly result: CommandResult };
/** An older repetition than this many commands is not known any more; the version check stands behind it. */
export const COMMANDS_KEPT = 8;

/** The record. Times are microseconds since the epoch; they fit a number until the year 2255. */
export type Offer = {
  readonly id: OfferId;
  readonly seller: SellerId;
  readonly source: OfferSource | undefined;
  readonly content: OfferContent;
  readonly contentHash: string;
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
  /** Since when it is expired, sold or removed; undefined while it is not, or when nobody kept it yet. */
  readonly retiredAtUs: number | undefined;
  /** 1, 2, 3, … */
  readonly version: number;
  /** The last ones that were applied, newest first, at most `COMMANDS_KEPT`. */
  readonly commands: readonly AppliedCommand[];
};

export const offerStatus = ({ lifecycle, ban }: Pick<Offer, 'lifecycle' | 'ban'>): Status =>
  statusOf({ lifecycle, banned: ban !== undefined });

/** The same text for the same content, whatever the order in which its fields were written. */
export const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  // One growing text and no pairs: every edit of every offer comes through here.
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text && ','}${canonical(item)}`;
    return `[${text}]`;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field !== undefined) text += `${text && ','}${JSON.stringify(name)}:${canonical(field)}`;
  }
  return `{${text}}`;
};
const encoder = new TextEncoder();
type Digest = { readonly hash: string; readonly bytes: number };
const digests = new WeakMap<OfferText, Digest>();
/** A content is immutable and asked about several times on its way to a commit: it is spelled out once. */
const digestOf = (content: OfferText): Digest => {
  const known = digests.get(content);
  if (known) return known;
  const bytes = encoder.encode(canonical(content));
  const digest = { hash: xxh64Bytes(bytes).toString(16).padStart(16, '0'), bytes: bytes.length };
  digests.set(content, digest);
  return digest;
};
/** Not against an enemy: whoever finds a collision only keeps his own edit from being seen. */
export const contentHashOf = (content: OfferContent): string => digestOf(content).hash;
/** About what the content takes when it is stored: what limits are measured with. */
export const contentBytes = (content: OfferText): number => digestOf(content).bytes;

import { PRESETS, type Preset } from '../cabinet/presets.ts';
import type { DraftOwner } from '../drafts/draft.ts';
import type { FeedKey } from '../autoload/feed.ts';
import type { SellerId } from '../offer/offer.ts';
import type { PresetKey } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { HEAD_KIND } from '../offer/offer-parts.ts';
import type { Status } from '../offer/status.ts';
import type { Timer, TimerKey } from '../expiry/timer.ts';
import type { PresetPlace } from '../cabinet/cabinet.port.ts';
import type { QueueKey } from '../export/export-queue.port.ts';
import type { ScanPlace } from '../scan/offer-scan.port.ts';

/** Rows of the in-memory tables: what another store would have as columns. */
export type HeadRow = { readonly version: number; readonly status: Status; readonly body: Uint8Array };
export type BodyRow = { readonly body: Uint8Array };
export type SaleRow = { readonly currency: string; readonly minorUnits: number };
export type PresetRow = PresetKey;
export type CountRow = {
  readonly seller: SellerId;
  readonly preset: Preset;
  readonly counter: number;
  /** The last key that a running repair has counted. */
  readonly cursor: string | undefined;
  readonly partial: number;
};
export type TotalRow = { readonly total: string; readonly currency: string; readonly value: number };
export type QueueRow = QueueKey & { readonly value: Uint8Array };
export type TimerRow = TimerKey;
export type HistoryRow = { readonly body: Uint8Array };
export type SlotRow = {
  readonly owner: DraftOwner;
  readonly version: number;
  readonly touchedAtUs: number;
  readonly body: Uint8Array | undefined;
};
export type ProgressRow = { readonly version: number; readonly body: Uint8Array };
export type FeedRowRow = {
  readonly task: number;
  readonly removedAtUs: number | undefined;
  readonly body: Uint8Array;
};
export type PublishedRow = { readonly offerId: OfferId; readonly atUs: number };

const part = encodeURIComponent;
const number = (n: number): string => String(n).padStart(16, '0');
/** Greater becomes smaller: keys are read upward only, lists downward. */
const mirrored = (text: string): string =>
  [...text].map((symbol) => String.fromCharCode(0x9f - symbol.charCodeAt(0))).join('');
export const after = (prefix: string): { readonly from: string; readonly to: string } => ({
  from: `${prefix}/`,
  to: `${prefix}0`, // the symbol behind the slash
});

export const keyOf = {
  offer: (id: OfferId, kind = HEAD_KIND): string => `${id}/${kind}`,
  hash: ({ hash, offerId }: ScanPlace): string => `${number(hash)}/${offerId}`,
  hashFrom: (hash: number): string => number(hash),
  ofSeller: (seller: SellerId, offerId: OfferId): string => `${part(seller)}/${offerId}`,
  feed: ({ seller, namespace }: FeedKey): string => `${part(seller)}/${part(namespace)}`,
  feedRow: (feed: FeedKey, externalId: string): string => `${keyOf.feed(feed)}/${part(externalId)}`,
  sale: (seller: SellerId, offerId: OfferId): string => `${part(seller)}/${offerId}`,
  list: (seller: SellerId, preset: Preset): string => `${part(seller)}/${PRESETS[preset]}`,
  preset: (seller: SellerId, preset: Preset, { createdAtUs, offerId }: PresetPlace): string =>
    `${keyOf.list(seller, preset)}/${number(Number.MAX_SAFE_INTEGER - createdAtUs)}/${mirrored(offerId)}`,
  totals: (seller: SellerId): string => part(seller),
  total: (seller: SellerId, total: string, currency: string, stripe: number): string =>
    `${part(seller)}/${total}/${part(currency)}/${stripe}`,
  queue: ({ shard, atUs, topic, key, id }: QueueKey): string =>
    `${shard}/${number(atUs)}/${part(topic)}/${part(key)}/${part(id)}`,
  timers: (what: Timer, shard: number): string => `${what}/${shard}`,
  timer: ({ what, shard, atUs, offerId }: TimerKey): string =>
    `${keyOf.timers(what, shard)}/${number(atUs)}/${offerId}`,
  timersAfter: (what: Timer, shard: number, atUs: number): string =>
    `${keyOf.timers(what, shard)}/${number(atUs + 1)}`,
  history: (id: OfferId, version: number): string => `${id}/${number(Number.MAX_SAFE_INTEGER - version)}`,
  slot: ({ kind, id }: DraftOwner): string => `${kind}/${part(id)}`,
};

import type { Feed, FeedLink, FeedLock, Load, LockContext, StoredError } from '@doska/core/feeds';
import type { FeedKey, SellerId } from '@doska/core/gost';

/** Codes of the columns, as `migrations/0008_feeds.sql` tells them. */
export const CONTEXT: Readonly<Record<LockContext, number>> = { feedloader: 0, feedprocessor: 1 };
export const STATUS = { queued: 0, sent: 0, held: 0, failed: 1, succeed: 2 } as const;
export const LEVEL = { error: 0, warning: 1 } as const;

export type KeyColumns = { readonly seller_id: string; readonly namespace: string };
export const keyOf = ({ seller_id, namespace }: KeyColumns): FeedKey => ({
  seller: seller_id as SellerId,
  namespace,
});

export type FeedColumns = KeyColumns & {
  readonly revision: string;
  readonly version: string;
  readonly status: Feed['status'];
  readonly last_task: string;
  readonly settings: string;
  readonly changed_at: string;
};
/** A key that JSON leaves out was undefined when it was written. */
const fromJson = <T>(text: string): T => JSON.parse(text) as T;
export const feedOf = (row: FeedColumns): Feed => ({
  ...keyOf(row),
  version: Number(row.version),
  status: row.status,
  lastTask: Number(row.last_task),
  settings: fromJson(row.settings),
  changedAtMs: Number(row.changed_at),
});
export const linkOf = ({ state }: { readonly state: string }): FeedLink => fromJson(state);
export const loadOf = ({ state }: { readonly state: string }): Load => fromJson(state);
export type LockColumns = {
  readonly context: number;
  readonly token: string;
  readonly holder: string | null;
  readonly acquired: string;
};
export const lockOf = (row: LockColumns | undefined): FeedLock => ({
  token: Number(row?.token ?? 0),
  holder: row?.holder ?? undefined,
  renewedAtMs: Number(row?.acquired ?? 0),
});

/** A text column can't hold NUL. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');

export type ErrorColumns = {
  readonly external_id: string;
  readonly error_id: string;
  readonly error_level: number;
  readonly code: string;
  readonly path: string;
  readonly ordinal: string;
  readonly line: string | null;
  readonly title: string | null;
  readonly error_message: string;
  readonly value: string | null;
};
export const errorOf = (row: ErrorColumns): StoredError => ({
  level: row.error_level === LEVEL.error ? 'error' : 'warning',
  code: row.code,
  path: row.path,
  message: row.error_message,
  value: row.value ?? undefined,
  line: row.line === null ? undefined : Number(row.line),
  ordinal: Number(row.ordinal),
  externalId: row.external_id,
  title: row.title ?? undefined,
  n: Number(row.error_id),
});

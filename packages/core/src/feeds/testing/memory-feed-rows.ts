import type { FeedKey } from '../../gost/index.ts';
import type { MemoryTx } from '../../kernel/testing.ts';
import type { Feed } from '../domain/feed.ts';
import type { FeedLink, FeedLock, Load, LockContext } from '../domain/load.ts';
import { STORE_ROWS_MAX, type FileOwner } from '../ports/feed-store.port.ts';

export const FEED = 'feeds_feed';
export const TASKS = 'feeds_tasks';
export const BATCHES = 'feeds_offer_batches';
export const STATISTICS = 'feeds_feed_statistics';
export const ERRORS = 'feeds_offer_errors';
export const OLD = 'feeds_old_tasks';
export const OWNERS = 'feeds_file_owners';
export const PHOTOS = 'feeds_photo_errors';

export type FeedRow = {
  readonly revision: number;
  readonly feed: Feed;
  readonly link: FeedLink | undefined;
  readonly locks: Readonly<Record<LockContext, FeedLock>>;
};
export type LoadRow = FeedKey & { readonly load: Load };
export type OwnerRow = FileOwner & { readonly condemned: boolean };

export const SEP = '\u0001';
export const END = '\u0002';
export const padded = (n: number): string => String(n).padStart(16, '0');
export const feedKey = ({ seller, namespace }: FeedKey): string => `${seller}${SEP}${namespace}`;
export const loadKey = (key: FeedKey, task: number): string => `${feedKey(key)}${SEP}${padded(task)}`;
export const below = (prefix: string) => ({ from: `${prefix}${SEP}`, to: `${prefix}${END}` });
/** All rows, page by page: a result is bounded. */
export const all = <Row>(tx: MemoryTx, table: string, range: { from?: string; to?: string } = {}) => {
  const found: (readonly [string, Row])[] = [];
  for (let after: string | undefined; ;) {
    const page = tx.scan<Row>(table, {
      ...range,
      ...(after === undefined ? {} : { after }),
      limit: STORE_ROWS_MAX,
    });
    found.push(...page);
    if (page.length < STORE_ROWS_MAX) return found;
    after = page.at(-1)![0];
  }
};
export const loadsOf = (tx: MemoryTx, key: FeedKey): readonly Load[] =>
  all<LoadRow>(tx, TASKS, below(feedKey(key))).map(([, row]) => row.load);
export const pageOf = <T>(rows: readonly T[], limit: number): readonly T[] =>
  rows.slice(0, Math.min(limit, STORE_ROWS_MAX));

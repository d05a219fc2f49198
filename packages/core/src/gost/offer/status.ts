/** What the seller did last, and what time did. */
export const LIFECYCLES = ['active', 'hidden', 'expired', 'sold', 'removed'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];
/** What everybody sees: removed stands above banned, banned above the lifecycle, so that an unban needs no memory. */
export type Status = Lifecycle | 'banned';
export const STATUSES: readonly Status[] = [...LIFECYCLES, 'banned'];
/** The number of each status in stored rows. A stored number never changes. */
export const STATUS_CODES = {
  active: 1,
  hidden: 2,
  expired: 3,
  sold: 4,
  removed: 5,
  banned: 6,
} as const satisfies Record<Status, number>;

export const statusOf = ({
  lifecycle,
  banned,
}: {
  readonly lifecycle: Lifecycle;
  readonly banned: boolean;
}): Status => (lifecycle === 'removed' || !banned ? lifecycle : 'banned');

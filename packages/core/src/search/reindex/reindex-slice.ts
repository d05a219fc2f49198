import type { ReindexCursor } from './reindex-cursor.ts';

/** A difference between the offer store and the index, or an offer that can't be converted. */
export type ReindexFinding = {
  readonly offerId: string;
  readonly kind: 'missing' | 'ghost' | 'failed';
  readonly epoch: number | undefined;
  readonly reason: string;
};
export type ReindexSlice = {
  readonly pass: ReindexCursor['pass'];
  /** Offers or documents that were looked at. */
  readonly seen: number;
  readonly sent: number;
  readonly findings: readonly ReindexFinding[];
  /** Empty: everything was looked at. */
  readonly nextCursor: string;
  /** How long to wait before the next slice. */
  readonly waitMs: number;
};

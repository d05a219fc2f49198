import type { BlobHash } from '../ports/blob-store.port.ts';

/** Whether a thing is kept or being deleted. */
export type Kept = {
  /** The blobs that it is made of. */
  readonly parts: readonly BlobHash[];
  /** Undefined: it is kept. */
  readonly leaving: Leaving | undefined;
};
export type Leaving = {
  readonly sinceMs: number;
  /** It was deleted, but late requests to delete or to store it may still arrive. */
  readonly erased: boolean;
};

/**
 * A request to delete can't be called back. So a process that erases gives up half-way through this time, and no other touches
 * what is leaving before all of it has passed.
 */
export const SETTLE_MS = 300_000;

export const mayStillErase = ({ sinceMs }: Leaving, nowMs: number, settleMs: number): boolean =>
  nowMs >= sinceMs && nowMs < sinceMs + settleMs / 2;
export const isSettled = ({ sinceMs }: Leaving, nowMs: number, settleMs: number): boolean =>
  nowMs >= sinceMs + settleMs;

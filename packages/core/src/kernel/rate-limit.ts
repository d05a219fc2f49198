import { err, ok, type Result } from 'neverthrow';
import type { TooManyRequests } from './ports/caller.port.ts';
import type { Clock } from './ports/clock.port.ts';

type Bucket = { tokens: number; atMs: number };

export interface RateLimiter {
  /** Counts one request of the key. Each key has its own limit. A refused request is not counted. An infinite rate means no limit. */
  take(key: string, ratePerMinute: number): Result<void, TooManyRequests>;
}

/**
 * A token bucket per key: a burst of one minute's requests, then an even rate. It keeps `keysMax` keys and drops the least
 * recently used one, so memory is bounded. A client with very many addresses is therefore limited less.
 */
export const rateLimiter = (
  clock: Clock,
  { keysMax = 50_000 }: { readonly keysMax?: number } = {},
): RateLimiter => {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, ratePerMinute) => {
      // No limit: nothing to store.
      if (ratePerMinute === Number.POSITIVE_INFINITY) return ok();
      const nowMs = clock.nowMs();
      const known = buckets.get(key) ?? { tokens: ratePerMinute, atMs: nowMs };
      // If the clock jumps backwards, the bucket does not change.
      const elapsedMs = Math.max(0, nowMs - known.atMs);
      const tokens = Math.min(ratePerMinute, known.tokens + (elapsedMs * ratePerMinute) / 60_000);
      const allowed = tokens >= 1;
      buckets.delete(key);
      buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, atMs: nowMs });
      if (buckets.size > keysMax) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      if (allowed) return ok();
      const retryAfterMs = ratePerMinute > 0 ? Math.ceil(((1 - tokens) * 60_000) / ratePerMinute) : 60_000;
      return err({ kind: 'TooManyRequests', retryAfterMs });
    },
  };
};

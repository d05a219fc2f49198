import { err, ok, type Result } from 'neverthrow';
import type { TooManyRequests } from './ports/caller.port.ts';
import type { Clock } from './ports/clock.port.ts';

type Bucket = { tokens: number; atMs: number };

export interface RateLimiter {
  /** Takes one of the key's requests. Keys don't share; a refused request costs nothing; an infinite rate is no limit. */
  take(key: string, ratePerMinute: number): Result<void, TooManyRequests>;
}

/**
 * A bucket per key: up to a minute's worth at once, then evenly. It remembers `keysMax` keys; beyond that the one
 * unused for longest starts anew, so memory is bounded and someone with very many addresses is limited less.
 */
export const rateLimiter = (
  clock: Clock,
  { keysMax = 50_000 }: { readonly keysMax?: number } = {},
): RateLimiter => {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, ratePerMinute) => {
      // Without a limit there is nothing to remember.
      if (ratePerMinute === Number.POSITIVE_INFINITY) return ok();
      const nowMs = clock.nowMs();
      const known = buckets.get(key) ?? { tokens: ratePerMinute, atMs: nowMs };
      // The clock may jump backwards: nobody is refilled or punished for it.
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

import type { Clock, Logger } from '@doska/core/kernel';
import { timeLimit } from '../time-limit.ts';
import { LoginFailed } from './login-failed.ts';

export type FreshToken = {
  readonly token: string;
  /** It is asked for again after this time. */
  readonly refreshMs: number;
  /** It is not used any more after this time. Undefined: it is used until there is another one. */
  readonly validMs?: number;
};
export type TokenSource = {
  /** A valid token, or `LoginFailed`. */
  readonly get: () => Promise<string>;
  /** The server refused the token: the next `get` asks for another one. */
  readonly forget: () => void;
};
type Options = {
  readonly fetch: () => Promise<FreshToken>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The time limit of a fetch. */
  readonly waitMs?: number;
  /** The shortest time between two attempts to renew a token that is still valid. */
  readonly pauseMs?: number;
};
type Held = FreshToken & { readonly atMs: number };

/** Keeps a token and renews it while it is still valid, so that no call waits for that. One fetch at a time. */
export const makeTokenSource = ({
  fetch,
  clock,
  logger,
  waitMs = 10_000,
  pauseMs = 1_000,
}: Options): TokenSource => {
  const inTime = timeLimit(clock, waitMs);
  let held: Held | undefined;
  let fetching: Promise<Held> | undefined;
  let triedMs = -Infinity;

  const renew = (): Promise<Held> => {
    triedMs = clock.nowMs();
    return (fetching ??= inTime((async () => fetch())())
      .then((fresh) => (held = { ...fresh, atMs: clock.nowMs() }))
      .catch((cause: unknown) => {
        throw new LoginFailed(cause);
      })
      .finally(() => {
        fetching = undefined;
      }));
  };
  return {
    get: async () => {
      const nowMs = clock.nowMs();
      if (!held || nowMs - held.atMs >= (held.validMs ?? Infinity)) return (await renew()).token;
      if (nowMs - held.atMs >= held.refreshMs && nowMs - triedMs >= pauseMs)
        renew().catch((cause: unknown) =>
          logger.warn('the token of YDB could not be renewed', { cause: String(cause) }),
        );
      return held.token;
    },
    forget: () => {
      if (clock.nowMs() - triedMs >= pauseMs) held = undefined;
    },
  };
};

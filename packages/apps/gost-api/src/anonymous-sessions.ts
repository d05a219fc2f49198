import type { IssueToken } from '@doska/adapters-auth';
import type { DraftServiceNeeds } from '@doska/adapters-grpc';
import { unavailable, type Clock, type Ids } from '@doska/core/kernel';

const DAY_SEC = 86_400;

export type AnonymousSessionsNeeds = {
  readonly issue: IssueToken;
  readonly ids: Ids;
  readonly clock: Clock;
  /** How long the token is valid: as long as the draft is kept. */
  readonly days: number;
};

/** Makes an anonymous id and a token over it. The bearer of the token is that visitor. */
export const anonymousSessions = ({
  issue,
  ids,
  clock,
  days,
}: AnonymousSessionsNeeds): DraftServiceNeeds['newSession'] => {
  const ttlSec = days * DAY_SEC;
  return () => {
    const anonymousId = ids.next();
    const expiresAtUs = (clock.nowMs() + ttlSec * 1_000) * 1_000;
    return issue({ subject: anonymousId, roles: [{ name: 'anonymous', id: anonymousId }], ttlSec })
      .map((token) => ({ anonymousId, token, expiresAtUs }))
      .mapErr((cause) => unavailable('this process can’t sign tokens', cause, false));
  };
};

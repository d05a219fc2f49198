import type { DraftServiceNeeds } from '@doska/adapters-grpc';
import { Tokens } from '@doska/app-composition';
import { unavailable } from '@doska/core/kernel';
import type { Container } from 'inversify';

const DAY_SEC = 86_400;

/** A name for a visitor and a token over it: whoever shows the token is the visitor. It lives as long as his draft. */
export const anonymousSessions = (container: Container): DraftServiceNeeds['newSession'] => {
  const [issue, ids, clock, { anonymousDraftDays }] = [
    container.get(Tokens.issueToken),
    container.get(Tokens.ids),
    container.get(Tokens.clock),
    container.get(Tokens.config),
  ];
  const ttlSec = anonymousDraftDays * DAY_SEC;
  return () => {
    const anonymousId = ids.next();
    const expiresAtUs = (clock.nowMs() + ttlSec * 1_000) * 1_000;
    return issue({ subject: anonymousId, roles: [{ name: 'anonymous', id: anonymousId }], ttlSec })
      .map((token) => ({ anonymousId, token, expiresAtUs }))
      .mapErr((cause) => unavailable('this process can’t sign tokens', cause, false));
  };
};

import { errAsync, okAsync } from 'neverthrow';
import type { Authenticator, Caller } from '../ports/caller.port.ts';

const callers: Readonly<Record<string, Caller>> = {
  operator: { subject: 'ann', roles: [{ name: 'operator' }] },
  seller: { subject: 'bob', roles: [{ name: 'seller', id: '1' }] },
};
/** The token is the name of the caller. */
export const namedCallers: Authenticator = {
  authenticate: (token) => {
    const caller = callers[token];
    return caller ? okAsync(caller) : errAsync({ kind: 'Unauthenticated', reason: 'unknown token' });
  },
};

import type { DraftOwner } from '@doska/core/gost';
import type { Authenticator, Caller, Unauthenticated } from '@doska/core/kernel';
import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import { isService, isTrusted, notYours, type NotYours } from './acting.ts';

export type AskedOwner = {
  readonly userId: string;
  readonly anonymousToken: string;
  readonly anonymousId: string;
};
export type Owners = { readonly userId?: string; readonly anonymousId?: string };

const anonymousOf = ({ roles }: Caller): string | undefined => {
  const role = roles.find(({ name }) => name === 'anonymous');
  return role?.name === 'anonymous' ? role.id : undefined;
};
const userOf = (caller: Caller, { userId }: AskedOwner): Result<string | undefined, NotYours> => {
  if (isTrusted(caller)) return ok(userId === '' ? undefined : userId);
  const role = caller.roles.find(({ name }) => name === 'seller');
  const own = role?.name === 'seller' ? role.id : undefined;
  return userId === '' || userId === own ? ok(own) : err(notYours('owner.user_id', 'another user'));
};

/** An anonymous id is a secret: a token of ours over it proves it, or a service names it. */
const visitorOf = (
  caller: Caller,
  { anonymousToken, anonymousId }: AskedOwner,
  authenticator: Authenticator,
): ResultAsync<string | undefined, NotYours | Unauthenticated> => {
  const known = anonymousOf(caller);
  if (anonymousId !== '' && anonymousId !== known && !isService(caller))
    return errAsync(notYours('owner.anonymous_id', 'a token must prove it'));
  if (anonymousId !== '') return okAsync(anonymousId);
  if (anonymousToken === '') return okAsync(known);
  return authenticator.authenticate(anonymousToken).andThen((shown): Result<string, NotYours> => {
    const id = anonymousOf(shown);
    return id === undefined ? err(notYours('owner.anonymous_token', 'not a visitor’s token')) : ok(id);
  });
};

/** Whose drafts a call is about: the user, the visitor, or both of them when a visitor has just logged in. */
export const ownersAsked = (
  caller: Caller,
  asked: AskedOwner | undefined,
  authenticator: Authenticator,
): ResultAsync<Owners, NotYours | Unauthenticated> => {
  const owner = asked ?? { userId: '', anonymousToken: '', anonymousId: '' };
  const user = userOf(caller, owner);
  if (user.isErr()) return errAsync(user.error);
  return visitorOf(caller, owner, authenticator).map((anonymousId) => ({
    ...(user.value === undefined ? {} : { userId: user.value }),
    ...(anonymousId === undefined ? {} : { anonymousId }),
  }));
};

/** Who owns the draft that these two have between them. */
export const ownerOf = ({ userId, anonymousId }: Owners): DraftOwner | undefined => {
  if (userId !== undefined) return { kind: 'user', id: userId };
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId };
};

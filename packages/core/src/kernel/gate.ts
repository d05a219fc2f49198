import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import {
  allows,
  isRateLimited,
  nobody,
  type Access,
  type Authenticator,
  type Caller,
  type PermissionDenied,
  type TooManyRequests,
  type Unauthenticated,
} from './ports/caller.port.ts';
import { addressGroup } from './client-address.ts';
import type { RateLimiter } from './rate-limit.ts';

export type Knock = {
  /** The method or route that is asked for. */
  readonly name: string;
  readonly access: Access;
  /** The `authorization` header or metadata as it came. */
  readonly authorization: string | undefined;
  readonly address: string;
};
export type NotAdmitted = Unauthenticated | PermissionDenied | TooManyRequests;

/** Decides for every kit alike who comes in. */
export type Gate = (knock: Knock) => ResultAsync<Caller, NotAdmitted>;

const refuse = (reason: string): ResultAsync<Caller, NotAdmitted> =>
  errAsync({ kind: 'Unauthenticated', reason });

/**
 * A token that is shown must be good, also where none is needed. What is public is limited by address and method,
 * except for our own services and operators.
 */
export const makeGate =
  ({
    authenticator,
    limiter,
  }: {
    readonly authenticator: Authenticator;
    readonly limiter: RateLimiter;
  }): Gate =>
  ({ name, access, authorization, address }) => {
    const bearer = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (authorization !== undefined && bearer === undefined) return refuse('a bearer token is expected');
    if (bearer === undefined && !('public' in access)) return refuse('a bearer token is needed');
    const caller: ResultAsync<Caller, NotAdmitted> =
      bearer === undefined ? okAsync(nobody) : authenticator.authenticate(bearer);
    return caller
      .andThrough((known) => allows(access, known))
      .andThrough((known) =>
        'public' in access && isRateLimited(known)
          ? limiter.take(`${name} ${addressGroup(address)}`, access.public.ratePerMinute)
          : okAsync<void, NotAdmitted>(undefined),
      );
  };

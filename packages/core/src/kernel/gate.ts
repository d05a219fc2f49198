import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
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
    const shown = bearer === undefined ? okAsync(nobody) : authenticator.authenticate(bearer);
    // One step: every call of every service comes through here.
    return shown.andThen((caller): Result<Caller, NotAdmitted> => {
      const allowed = allows(access, caller);
      if (allowed.isErr()) return err(allowed.error);
      if (!('public' in access && isRateLimited(caller))) return ok(caller);
      const place = `${name} ${addressGroup(address)}`;
      return limiter.take(place, access.public.ratePerMinute).map(() => caller);
    });
  };

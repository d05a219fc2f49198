import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import {
  allows,
  isRateLimited,
  unauthenticatedCaller,
  type Access,
  type Authenticator,
  type Caller,
  type PermissionDenied,
  type TooManyRequests,
  type Unauthenticated,
} from './ports/caller.port.ts';
import { addressGroup } from './client-address.ts';
import type { RateLimiter } from './rate-limit.ts';

export type AccessRequest = {
  /** The requested method or route. */
  readonly name: string;
  readonly access: Access;
  /** The raw `authorization` header or metadata. */
  readonly authorization: string | undefined;
  readonly address: string;
};
export type NotAdmitted = Unauthenticated | PermissionDenied | TooManyRequests;

/** Decides for gRPC and HTTP whether a request is admitted. */
export type Gate = (request: AccessRequest) => ResultAsync<Caller, NotAdmitted>;

const refuse = (reason: string): ResultAsync<Caller, NotAdmitted> =>
  errAsync({ kind: 'Unauthenticated', reason });

/**
 * A token must be valid even where none is needed. Public methods have a rate limit per address and method; services and
 * operators have none.
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
    const shown = bearer === undefined ? okAsync(unauthenticatedCaller) : authenticator.authenticate(bearer);
    // A single `andThen`, because every call of every service passes here.
    return shown.andThen((caller): Result<Caller, NotAdmitted> => {
      const allowed = allows(access, caller);
      if (allowed.isErr()) return err(allowed.error);
      if (!('public' in access && isRateLimited(caller))) return ok(caller);
      const place = `${name} ${addressGroup(address)}`;
      return limiter.take(place, access.public.ratePerMinute).map(() => caller);
    });
  };

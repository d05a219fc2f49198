import {
  formatRole,
  invalidInput,
  parseRole,
  type Authenticator,
  type Caller,
  type Clock,
  type InvalidInput,
  type Role,
  type Unauthenticated,
} from '@doska/core/kernel';
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { err, errAsync, ok, okAsync, Result, ResultAsync } from 'neverthrow';
import type { TokenKey, TokenKeys } from './token-keys.ts';
import { VerifiedTokens } from './verified-tokens.ts';

export type TokenOptions = {
  readonly keys: TokenKeys;
  readonly clock: Clock;
  readonly issuer: string;
  readonly audience: string;
  /** How far the clock of another machine may be off. */
  readonly toleranceSec?: number;
  /** Verified tokens that are remembered, so that the signature of a token is not checked with every call. */
  readonly rememberedMax?: number;
};
const REMEMBERED_CHARS_MAX = 4_096;

const refuse = (reason: string): Unauthenticated => ({ kind: 'Unauthenticated', reason });

/** The reason for the caller: which rule was broken, never the content of the token. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof errors.JWTExpired) return 'the token has expired';
  if (cause instanceof errors.JWTClaimValidationFailed)
    return `the token's ${cause.claim} is missing or wrong`;
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'the token is not signed by us';
  return 'not a token of ours';
};

const callerOf = (subject: string | undefined, roles: unknown): Result<Caller, Unauthenticated> => {
  if (!subject || !Array.isArray(roles)) return err(refuse("the token's sub or roles is missing"));
  const texts: readonly unknown[] = roles;
  return Result.combine(texts.map((text) => parseRole(String(text))))
    .map((parsed): Caller => ({ subject, roles: parsed }))
    .mapErr(() => refuse('the token has a role we do not know'));
};

/**
 * The key is chosen by its name and fixes the algorithm: the algorithm in the token is only compared with it.
 * A key that left the configuration is unknown from the next start on.
 */
export const tokenAuthenticator = ({
  keys,
  clock,
  issuer,
  audience,
  toleranceSec = 30,
  rememberedMax = 10_000,
}: TokenOptions): Authenticator => {
  const verifiedTokens = new VerifiedTokens({ countMax: rememberedMax, charsMax: REMEMBERED_CHARS_MAX });
  const byName = new Map<string | undefined, TokenKey>(
    [keys.current, ...(keys.previous ? [keys.previous] : [])].map((key) => [key.kid, key]),
  );
  const keyOf = (token: string): TokenKey | undefined => {
    try {
      return byName.get(decodeProtectedHeader(token).kid);
    } catch {
      return undefined;
    }
  };
  return {
    authenticate: (token) => {
      const nowMs = clock.nowMs();
      const nowSec = Math.floor(nowMs / 1_000);
      const known = verifiedTokens.callerOf(token, nowSec, toleranceSec);
      if (known) return okAsync(known);
      const key = keyOf(token);
      if (!key) return errAsync(refuse('the token is signed with a key we do not know'));
      const verified = jwtVerify(token, key.verify, {
        algorithms: [key.alg],
        issuer,
        audience,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: toleranceSec,
        currentDate: new Date(nowMs),
      });
      return ResultAsync.fromPromise(verified, (cause) => refuse(reasonOf(cause))).andThen(({ payload }) =>
        callerOf(payload.sub, payload['roles']).map((caller) => {
          verifiedTokens.keep(token, { caller, expSec: payload.exp ?? 0, sinceSec: nowSec });
          return caller;
        }),
      );
    },
  };
};

export type IssueToken = (claims: {
  readonly subject: string;
  readonly roles: readonly Role[];
  readonly ttlSec: number;
}) => ResultAsync<string, InvalidInput>;

/** Makes tokens with the current key. */
export const tokenIssuer =
  ({ keys: { current }, clock, issuer, audience }: TokenOptions): IssueToken =>
  ({ subject, roles, ttlSec }) => {
    const { sign, kid, alg } = current;
    if (!sign)
      return errAsync(
        invalidInput({ path: 'current', code: 'NoPrivateKey', message: 'this key only verifies' }),
      );
    if (subject === '')
      return errAsync(invalidInput({ path: 'subject', code: 'Missing', message: 'a token is for someone' }));
    if (!(ttlSec > 0))
      return errAsync(
        invalidInput({ path: 'ttl', code: 'OutOfRange', message: 'a token lives for a while' }),
      );
    const nowSec = Math.floor(clock.nowMs() / 1000);
    const token = new SignJWT({ roles: roles.map(formatRole) })
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .setSubject(subject)
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(nowSec)
      .setExpirationTime(nowSec + Math.ceil(ttlSec));
    // With a key that was checked when it was read, signing does not fail: a rejection here is a bug.
    return ResultAsync.fromSafePromise<string, InvalidInput>(token.sign(sign)).andThen((signed) =>
      ok(signed),
    );
  };

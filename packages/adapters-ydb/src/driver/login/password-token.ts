import { readFileSync } from 'node:fs';
import type { YdbAddress } from '../address.ts';
import { sdk } from '../sdk.ts';
import type { FreshToken } from './token-source.ts';

export const TICKET = 'x-ydb-auth-ticket';
const SHORTEST_MS = 60_000;
const silent = (): void => {};
const noLogger = { fatal: silent, error: silent, warn: silent, info: silent, debug: silent, trace: silent };

/** How long a JWT is valid, by its own times: the clocks of server and client may differ. */
const lifeOf = (token: string): number => {
  try {
    const [, payload = ''] = token.split('.');
    const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    if (typeof iat === 'number' && typeof exp === 'number' && exp > iat) return (exp - iat) * 1_000;
  } catch {
    // Not a JWT: it is asked for again soon.
  }
  return SHORTEST_MS;
};
/** Undefined: the roots of Node. */
const rootsOf = (given: Uint8Array | undefined): Buffer | undefined => {
  const file = process.env['YDB_SSL_ROOT_CERTIFICATES_FILE'];
  return given ? Buffer.from(given) : file ? readFileSync(file) : undefined;
};

/** Logs in with a name and a password. The service needs the bare endpoint, and credentials of its own for TLS. */
export const passwordToken = async (
  { user, password }: { readonly user: string; readonly password: string },
  { endpoint, secure }: Pick<YdbAddress, 'endpoint' | 'secure'>,
  rootCertificates: Uint8Array | undefined,
): Promise<FreshToken> => {
  const roots = rootsOf(rootCertificates);
  const service = new sdk.StaticCredentialsAuthService(user, password, endpoint, noLogger, {
    ...(secure ? { sslCredentials: roots ? { rootCertificates: roots } : {} } : {}),
  });
  const [token] = (await service.getAuthMetadata()).get(TICKET);
  if (token === undefined) throw new Error('the server gave no token');
  const validMs = lifeOf(String(token));
  return { token: String(token), validMs, refreshMs: validMs / 2 };
};

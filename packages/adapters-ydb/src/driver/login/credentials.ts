import type { IAuthService } from 'ydb-sdk';
import type { Clock, Logger } from '@doska/core/kernel';
import type { YdbAddress } from '../address.ts';
import { sdk } from '../sdk.ts';
import { METADATA_URL, metadataToken } from './metadata-token.ts';
import { passwordToken, TICKET } from './password-token.ts';
import { makeTokenSource, type FreshToken, type TokenSource } from './token-source.ts';

export type YdbCredentials =
  | { readonly kind: 'anonymous' }
  /** A function is asked again after `refreshMs`, and when the server has refused the token. */
  | {
      readonly kind: 'token';
      readonly token: string | (() => Promise<string>);
      readonly refreshMs?: number;
    }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** The service account of the cloud machine. */
  | { readonly kind: 'metadata'; readonly url?: string };

const TOKEN_REFRESH_MS = 60_000;

const fetchOf = (
  credentials: Exclude<YdbCredentials, { readonly kind: 'anonymous' }>,
  address: YdbAddress,
  rootCertificates: Uint8Array | undefined,
): (() => Promise<FreshToken>) => {
  switch (credentials.kind) {
    case 'token': {
      const { token, refreshMs = TOKEN_REFRESH_MS } = credentials;
      return typeof token === 'string'
        ? async () => ({ token, refreshMs: Infinity })
        : async () => ({ token: await token(), refreshMs });
    }
    case 'password':
      return () => passwordToken(credentials, address, rootCertificates);
    case 'metadata':
      return () => metadataToken(credentials.url ?? METADATA_URL);
  }
};

/** Undefined for anonymous access. */
export const tokenSourceOf = (
  credentials: YdbCredentials,
  address: YdbAddress,
  {
    rootCertificates,
    ...parts
  }: { readonly rootCertificates?: Uint8Array; readonly clock: Clock; readonly logger: Logger },
): TokenSource | undefined =>
  credentials.kind === 'anonymous'
    ? undefined
    : makeTokenSource({ fetch: fetchOf(credentials, address, rootCertificates), ...parts });

/** Adds the token to every call. */
export const authServiceOf = (source: TokenSource | undefined): IAuthService => {
  const anonymous = new sdk.AnonymousAuthService();
  if (!source) return anonymous;
  return {
    getAuthMetadata: async () => {
      const token = await source.get();
      const metadata = await anonymous.getAuthMetadata();
      metadata.set(TICKET, token);
      return metadata;
    },
  };
};

import {
  hmacSigner,
  tokenAuthenticator,
  tokenIssuer,
  tokenKeys,
  type TokenKeyConfig,
} from '@doska/adapters-auth';
import type { InvalidInput } from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import type { Result } from 'neverthrow';
import type { Config } from '../config/load.ts';
import { systemClock } from '../system.ts';
import { Tokens } from '../tokens.ts';

/** The secrets in force: from the configuration, or those the embedded profile made for itself. */
export type Secrets = { readonly tokenKey: string; readonly signingSecret: string };

const isPem = (key: string): boolean => key.includes('-----BEGIN');
const keyConfig = (kid: string, key: string): TokenKeyConfig => {
  if (!isPem(key)) return { kid, alg: 'HS256', secret: key };
  return key.includes('PRIVATE KEY')
    ? { kid, alg: 'EdDSA', publicKey: key, privateKey: key }
    : { kid, alg: 'EdDSA', publicKey: key };
};

export const authModule = (config: Config, secrets: Secrets): Result<ContainerModule, InvalidInput> => {
  const { previousTokenKey, previousSigningSecret, tokenIssuer: issuer, tokenAudience: audience } = config;
  return tokenKeys({
    current: keyConfig(config.tokenKeyId, secrets.tokenKey),
    ...(previousTokenKey === undefined
      ? {}
      : { previous: keyConfig(config.previousTokenKeyId, previousTokenKey) }),
  }).map((keys) => {
    const options = { keys, clock: systemClock, issuer, audience };
    return new ContainerModule(({ bind }) => {
      bind(Tokens.authenticator).toConstantValue(tokenAuthenticator(options));
      bind(Tokens.issueToken).toConstantValue(tokenIssuer(options));
      bind(Tokens.signer).toConstantValue(hmacSigner(secrets.signingSecret, previousSigningSecret));
    });
  });
};

import { z } from 'zod';
import { setting, yesOrNo } from '../setting.ts';

/** Who may: tokens, seals, and what is open to everybody. */
export const accessSettings = {
  tokenKeyId: setting(
    'DOSKA_TOKEN_KEY_ID',
    z.string().min(1).default('current'),
    'The name of the key that signs tokens.',
  ),
  tokenKey: setting(
    'DOSKA_TOKEN_KEY',
    z.string().min(32).optional(),
    'The key that signs tokens: a secret of at least 32 bytes (HS256) or an Ed25519 private key (PEM). `embedded` makes one.',
    { secret: true },
  ),
  previousTokenKeyId: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY_ID',
    z.string().min(1).default('previous'),
    'The name of the key before.',
  ),
  previousTokenKey: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY',
    z.string().min(32).optional(),
    'The key before: its tokens are still accepted. A public key (PEM) is enough.',
    { secret: true },
  ),
  tokenIssuer: setting(
    'DOSKA_TOKEN_ISSUER',
    z.string().min(1).default('doska'),
    'Who issues tokens (`iss`).',
  ),
  tokenAudience: setting(
    'DOSKA_TOKEN_AUDIENCE',
    z.string().min(1).default('doska'),
    'For whom tokens are (`aud`).',
  ),
  signingSecret: setting(
    'DOSKA_SIGNING_SECRET',
    z.string().min(32).optional(),
    'Seals page tokens. `embedded` makes one.',
    { secret: true },
  ),
  previousSigningSecret: setting(
    'DOSKA_PREVIOUS_SIGNING_SECRET',
    z.string().min(32).optional(),
    'The secret before: what it sealed is still accepted.',
    { secret: true },
  ),
  openMetrics: setting(
    'DOSKA_OPEN_METRICS',
    yesOrNo.optional(),
    'Serve `/metrics` without a token. By default only in `embedded` on a loopback address.',
  ),
  openReflection: setting(
    'DOSKA_OPEN_REFLECTION',
    yesOrNo.optional(),
    'Answer gRPC reflection without a token. By default only in `embedded` on a loopback address.',
  ),
};

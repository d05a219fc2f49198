import { z } from 'zod';
import { setting, yesOrNo } from '../setting.ts';

const OPEN_OTHERWISE = 'yes in `embedded` on a loopback address, else no';

/** Keys of tokens, and endpoints that may be open without one. */
export const accessSettings = {
  tokenKeyId: setting(
    'DOSKA_TOKEN_KEY_ID',
    z.string().min(1).default('current'),
    'The id of the key that signs tokens (`kid`).',
  ),
  tokenKey: setting(
    'DOSKA_TOKEN_KEY',
    z.string().min(32).optional(),
    'The key that signs tokens: a secret of at least 32 bytes (HS256) or an Ed25519 private key (PEM).',
    { secret: true, otherwise: 'generated in `embedded`, else none', inReadme: true },
  ),
  previousTokenKeyId: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY_ID',
    z.string().min(1).default('previous'),
    'The id of the previous key.',
  ),
  previousTokenKey: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY',
    z.string().min(32).optional(),
    'The previous key. Tokens that it signed are still accepted. A public key (PEM) is enough.',
    { secret: true },
  ),
  tokenIssuer: setting(
    'DOSKA_TOKEN_ISSUER',
    z.string().min(1).default('doska'),
    'The issuer of tokens (`iss`).',
  ),
  tokenAudience: setting(
    'DOSKA_TOKEN_AUDIENCE',
    z.string().min(1).default('doska'),
    'The audience of tokens (`aud`).',
  ),
  signingSecret: setting(
    'DOSKA_SIGNING_SECRET',
    z.string().min(32).optional(),
    'The secret that signs page tokens.',
    { secret: true, otherwise: 'generated in `embedded`, else none', inReadme: true },
  ),
  previousSigningSecret: setting(
    'DOSKA_PREVIOUS_SIGNING_SECRET',
    z.string().min(32).optional(),
    'The previous secret. Page tokens that it signed are still accepted.',
    { secret: true },
  ),
  corsOrigins: setting(
    'DOSKA_CORS_ORIGINS',
    z
      .string()
      .regex(
        /^\s*(\*|https?:\/\/[^\s/,]+)\s*(,\s*https?:\/\/[^\s/,]+\s*)*$/,
        'origins such as https://shop.example with commas between them, or *',
      )
      .optional(),
    'Origins whose pages may call the HTTP API, separated by commas. `*` means all.',
  ),
  openDocs: setting(
    'DOSKA_OPEN_DOCS',
    yesOrNo.default(true),
    'Serve `/openapi.json` and the page `/api/` without a token. They tell what the contracts tell.',
  ),
  openMetrics: setting('DOSKA_OPEN_METRICS', yesOrNo.optional(), 'Serve `/metrics` without a token.', {
    otherwise: OPEN_OTHERWISE,
  }),
  openReflection: setting(
    'DOSKA_OPEN_REFLECTION',
    yesOrNo.optional(),
    'Serve gRPC reflection without a token.',
    { otherwise: OPEN_OTHERWISE },
  ),
};

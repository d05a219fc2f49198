import { setting, wholeNumber } from '@doska/app-composition';
import { z } from 'zod';

export const catalogSettings = {
  url: setting(
    'DOSKA_CATALOG_URL',
    z.string().min(1).optional(),
    'The catalogue service (gRPC `host:port`) that processes load the catalogue from.',
    { otherwise: 'the database' },
  ),
  token: setting(
    'DOSKA_CATALOG_TOKEN',
    z.string().min(1).optional(),
    'The access token for DOSKA_CATALOG_URL.',
    { secret: true },
  ),
  keep: setting(
    'DOSKA_CATALOG_KEEP',
    wholeNumber(1, 10_000).default(20),
    'The number of newest versions of the catalogue that stay readable.',
  ),
  ratePerMinute: setting(
    'DOSKA_CATALOG_RATE_PER_MINUTE',
    wholeNumber(0, 1_000_000).default(600),
    'Reads of the catalogue without a token per minute per IP. 0 requires a token.',
  ),
  cacheSec: setting(
    'DOSKA_CATALOG_CACHE_SEC',
    wholeNumber(0, 86_400).default(60),
    'How long HTTP caches may keep public reads of the catalogue, in seconds.',
  ),
};

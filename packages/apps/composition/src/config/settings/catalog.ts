import { z } from 'zod';
import { setting, wholeNumber } from '../setting.ts';

export const catalogSettings = {
  catalogUrl: setting(
    'DOSKA_CATALOG_URL',
    z.string().min(1).optional(),
    'The catalogue service (gRPC host:port) that apps copy the catalogue from. By default they read the database.',
  ),
  catalogToken: setting('DOSKA_CATALOG_TOKEN', z.string().min(1).optional(), 'The token to show there.', {
    secret: true,
  }),
  catalogKeep: setting(
    'DOSKA_CATALOG_KEEP',
    wholeNumber(1, 10_000).default(20),
    'How many versions of the catalogue stay readable.',
  ),
  catalogRatePerMinute: setting(
    'DOSKA_CATALOG_RATE',
    wholeNumber(0, 1_000_000).default(600),
    'Reads of the catalogue a minute and address without a token; 0 closes it to them.',
  ),
};

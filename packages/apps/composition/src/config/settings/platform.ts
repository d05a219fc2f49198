import { z } from 'zod';
import { setting, wholeNumber, yesOrNo } from '../setting.ts';

/** Where everything lives. */
export const platformSettings = {
  profile: setting(
    'DOSKA_PROFILE',
    z.enum(['embedded', 'postgres']).default('embedded'),
    'Where everything lives: `embedded` brings its own PostgreSQL, `postgres` uses yours.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'Your PostgreSQL; with it the embedded one is not started.',
    { secret: true },
  ),
  databasePool: setting(
    'DOSKA_DATABASE_POOL',
    wholeNumber(2, 1_000).default(10),
    'Connections to PostgreSQL for queries, a process.',
  ),
  migrate: setting(
    'DOSKA_MIGRATE',
    z.enum(['auto', 'check']).optional(),
    'At start: apply migrations (`auto`, the default in `embedded`) or refuse to start when some are missing (`check`).',
  ),
  dataDir: setting(
    'DOSKA_DATA_DIR',
    z.string().min(1).default('data'),
    'Where the embedded profile keeps its data, and blobs are kept as files.',
  ),
  demo: setting(
    'DOSKA_DEMO',
    yesOrNo.optional(),
    'Fill an empty platform with demo data. By default in `embedded`.',
  ),
};

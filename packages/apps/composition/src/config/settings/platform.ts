import { z } from 'zod';
import { setting, wholeNumber, yesOrNo } from '../setting.ts';
import { stores } from '../store.ts';

/** Where the data is. */
export const platformSettings = {
  profile: setting(
    'DOSKA_PROFILE',
    z.enum(['embedded', 'postgres']).default('embedded'),
    '`embedded` starts its own PostgreSQL and makes its own secrets; `postgres` uses your database and your secrets.',
    { inReadme: true },
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'Your PostgreSQL. If it is set, the embedded server is not started.',
    { secret: true, inReadme: true },
  ),
  databasePool: setting(
    'DOSKA_DATABASE_POOL',
    wholeNumber(2, 1_000).default(10),
    'Connections to PostgreSQL per process.',
  ),
  store: setting(
    'DOSKA_STORE',
    stores.default('postgres'),
    'The database of leases, of small values and of every context that has no other `DOSKA_<CONTEXT>_STORE`: `postgres` is the database of the platform, `ydb` your YDB. Contexts without such a setting are always in PostgreSQL. The first start fixes it.',
  ),
  migrate: setting(
    'DOSKA_MIGRATE',
    z.enum(['auto', 'check']).optional(),
    'At start: `auto` applies missing migrations, `check` refuses to start if some are missing.',
    { otherwise: '`auto` in `embedded`, else `check`', inReadme: true },
  ),
  dataDir: setting(
    'DOSKA_DATA_DIR',
    z.string().min(1).default('data'),
    'The folder of the embedded database, of blobs and of `run.json`.',
    { inReadme: true },
  ),
  processBeatMs: setting(
    'DOSKA_PROCESS_BEAT_MS',
    wholeNumber(100, 600_000).default(5_000),
    'How often a process stores its state for `doska status`.',
  ),
  processMissingMs: setting(
    'DOSKA_PROCESS_MISSING_MS',
    wholeNumber(200, 3_600_000).default(20_000),
    'A process that has not stored its state for this long is shown as missing.',
  ),
  processKeepMs: setting(
    'DOSKA_PROCESS_KEEP_MS',
    wholeNumber(1_000, 2_147_483_647).default(3_600_000),
    'How long the last state of a missing process is kept.',
  ),
  startWaitMs: setting(
    'DOSKA_START_WAIT_MS',
    wholeNumber(0, 3_600_000).default(60_000),
    'How long a start waits for a database or a broker that does not answer.',
  ),
  demo: setting('DOSKA_DEMO', yesOrNo.optional(), 'Load demo data into an empty platform.', {
    otherwise: 'yes in `embedded`, else no',
  }),
};

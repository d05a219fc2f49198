import { z } from 'zod';
import { setting, wholeNumber } from '../setting.ts';

/** How to connect to YDB. Contexts decide whether they use it. */
export const ydbSettings = {
  ydbConnectionString: setting(
    'YDB_CONNECTION_STRING',
    z.url({ protocol: /^grpcs?$/ }).optional(),
    'Your YDB, `grpc://host:2136/database` or `grpcs://host:2135/?database=/path`. `grpcs` is TLS.',
  ),
  ydbDirectory: setting(
    'DOSKA_YDB_DIRECTORY',
    z
      .string()
      .regex(/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/, 'names with slashes between them')
      .default('doska'),
    'The directory of the tables in the database.',
  ),
  ydbAuth: setting(
    'DOSKA_YDB_AUTH',
    z.enum(['anonymous', 'token', 'password', 'metadata']).default('anonymous'),
    'The authentication. `metadata` uses the service account of the cloud machine.',
  ),
  ydbToken: setting('DOSKA_YDB_TOKEN', z.string().min(1).optional(), 'The token for DOSKA_YDB_AUTH=token.', {
    secret: true,
  }),
  ydbTokenFile: setting(
    'DOSKA_YDB_TOKEN_FILE',
    z.string().min(1).optional(),
    'A file with the token for DOSKA_YDB_AUTH=token, instead of DOSKA_YDB_TOKEN. It is read again after DOSKA_YDB_TOKEN_REFRESH_MS, and when the server refuses the token.',
  ),
  ydbTokenRefreshMs: setting(
    'DOSKA_YDB_TOKEN_REFRESH_MS',
    wholeNumber(1_000, 86_400_000).default(60_000),
    'How often the token file is read.',
  ),
  ydbUser: setting(
    'DOSKA_YDB_USER',
    z.string().min(1).optional(),
    'The user name for DOSKA_YDB_AUTH=password.',
  ),
  ydbPassword: setting(
    'DOSKA_YDB_PASSWORD',
    z.string().min(1).optional(),
    'The password for DOSKA_YDB_AUTH=password.',
    { secret: true },
  ),
  ydbMetadataUrl: setting(
    'DOSKA_YDB_METADATA_URL',
    z.url({ protocol: /^https?$/ }).optional(),
    'The address that gives tokens for DOSKA_YDB_AUTH=metadata.',
    { otherwise: 'the metadata service of the cloud machine' },
  ),
  ydbCaFile: setting(
    'DOSKA_YDB_CA_FILE',
    z.string().min(1).optional(),
    'A file with the root certificates for `grpcs`, in PEM.',
    { otherwise: 'public certificate authorities' },
  ),
  ydbSessions: setting(
    'DOSKA_YDB_SESSIONS',
    wholeNumber(1, 1_000).default(32),
    'Sessions of YDB per process: transactions that run at the same time.',
  ),
  ydbOperationMs: setting(
    'DOSKA_YDB_OPERATION_MS',
    wholeNumber(100, 600_000).default(10_000),
    'The time limit of a statement on YDB.',
  ),
  ydbSessionMs: setting(
    'DOSKA_YDB_SESSION_MS',
    wholeNumber(100, 600_000).default(5_000),
    'The time limit of the creation of a session on YDB.',
  ),
  ydbPingMs: setting(
    'DOSKA_YDB_PING_MS',
    wholeNumber(1_000, 3_600_000).default(20_000),
    'How often a connection to YDB is tested while a call waits for its answer.',
  ),
};

import { z } from 'zod';
import { setting } from '../setting.ts';

/** How to connect to YDB. Contexts decide whether they use it. */
export const ydbSettings = {
  ydbConnectionString: setting(
    'YDB_CONNECTION_STRING',
    z.url({ protocol: /^grpcs?$/ }).optional(),
    'Your YDB, `grpc://host:2136/database`.',
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
};

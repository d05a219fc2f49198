import { z } from 'zod';
import { setting } from '../setting.ts';

/** Where the offer store is, and how to reach it. */
export const ydbSettings = {
  offers: setting(
    'DOSKA_OFFERS',
    z.enum(['postgres', 'ydb']).default('postgres'),
    'Where the offer store is: `postgres` in the same database, `ydb` is your YDB.',
  ),
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
    'Where our tables are, below the database.',
  ),
  ydbAuth: setting(
    'DOSKA_YDB_AUTH',
    z.enum(['anonymous', 'token', 'password', 'metadata']).default('anonymous'),
    "How to log in at YDB; `metadata` is the cloud machine's own service account.",
  ),
  ydbToken: setting(
    'DOSKA_YDB_TOKEN',
    z.string().min(1).optional(),
    'The token, with DOSKA_YDB_AUTH=token.',
    {
      secret: true,
    },
  ),
  ydbUser: setting('DOSKA_YDB_USER', z.string().min(1).optional(), 'The user, with DOSKA_YDB_AUTH=password.'),
  ydbPassword: setting('DOSKA_YDB_PASSWORD', z.string().min(1).optional(), "That user's password.", {
    secret: true,
  }),
};

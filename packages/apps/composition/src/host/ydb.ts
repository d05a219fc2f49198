import { readFile } from 'node:fs/promises';
import {
  connectYdb,
  migrateYdb,
  pendingYdbMigrations,
  type MigrationError,
  type YdbClient,
  type YdbOptions,
} from '@doska/adapters-ydb';
import type { Ids, Unavailable } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import { usesYdb } from '../config/check-stores.ts';
import type { Config } from '../config/config.ts';
import type { ContextWiring } from '../context.ts';
import { Tokens } from '../tokens.ts';
import { patiently, type Patience } from './patience.ts';
import { awayProblem, messageOf, startProblem, type StartProblem } from './problem.ts';

const readable = async <T>(variable: string, read: () => Promise<T>): Promise<Result<T, StartProblem>> => {
  try {
    return ok(await read());
  } catch (cause) {
    return err(startProblem(`${variable}: ${messageOf(cause)}`));
  }
};
const tokenIn = async (file: string): Promise<string> => {
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`${file} is empty`);
  return token;
};
type Login = Pick<YdbOptions, 'credentials' | 'rootCertificates'>;
/** The login, with files that can be read now. */
const loginOf = async (config: Config): Promise<Result<Login, StartProblem>> => {
  const { ydbAuth, ydbToken, ydbTokenFile, ydbTokenRefreshMs: refreshMs, ydbMetadataUrl: url } = config;
  const { ydbUser: user = '', ydbPassword: password = '', ydbCaFile } = config;
  const kinds = {
    anonymous: { kind: 'anonymous' },
    token: {
      kind: 'token',
      token: ydbTokenFile === undefined ? (ydbToken ?? '') : () => tokenIn(ydbTokenFile),
      refreshMs,
    },
    password: { kind: 'password', user, password },
    metadata: { kind: 'metadata', ...(url === undefined ? {} : { url }) },
  } as const satisfies Record<typeof ydbAuth, YdbOptions['credentials']>;
  const credentials = kinds[ydbAuth];
  if (ydbAuth === 'token' && ydbTokenFile !== undefined) {
    const token = await readable('DOSKA_YDB_TOKEN_FILE', () => tokenIn(ydbTokenFile));
    if (token.isErr()) return err(token.error);
  }
  if (ydbCaFile === undefined) return ok({ credentials });
  return (await readable('DOSKA_YDB_CA_FILE', () => readFile(ydbCaFile))).map((rootCertificates) => ({
    credentials,
    rootCertificates,
  }));
};

type Parts = Pick<YdbOptions, 'clock' | 'random' | 'logger'>;
const connect = async (config: Config, parts: Parts): Promise<Result<YdbClient, StartProblem>> => {
  if (config.ydbConnectionString === undefined)
    return err(startProblem('YDB_CONNECTION_STRING: a context of this process uses YDB'));
  const login = await loginOf(config);
  if (login.isErr()) return err(login.error);
  const client = await connectYdb({
    connectionString: config.ydbConnectionString,
    directory: config.ydbDirectory,
    sessionsMax: config.ydbSessions,
    operationMs: config.ydbOperationMs,
    sessionCreateMs: config.ydbSessionMs,
    pingMs: config.ydbPingMs,
    ...parts,
    ...login.value,
  });
  return client.mapErr(({ what, retryable }) =>
    awayProblem(`YDB_CONNECTION_STRING: YDB can't be reached: ${what}.`, retryable),
  );
};
const schemaProblem = (error: MigrationError | Unavailable): StartProblem =>
  startProblem(`YDB: ${error.kind === 'Unavailable' ? error.what : error.message}`);

/** Applies missing migrations if one of the contexts uses YDB. With `dryRun` it only lists them. */
export const migrateConfiguredYdb = async (
  config: Config,
  contexts: readonly ContextWiring[],
  { ids, dryRun, ...parts }: Parts & { readonly ids: Ids; readonly dryRun: boolean },
): Promise<Result<{ applied: readonly string[]; pending: readonly string[] }, StartProblem>> => {
  if (!usesYdb(config, contexts)) return ok({ applied: [], pending: [] });
  const connected = await connect(config, parts);
  if (connected.isErr()) return err(connected.error);
  const client = connected.value;
  const outcome = dryRun
    ? await pendingYdbMigrations(client).map((pending) => ({ applied: [], pending }))
    : await migrateYdb(client, { clock: parts.clock, ids }).map(({ applied }) => ({ applied, pending: [] }));
  await client.close();
  return outcome.mapErr(schemaProblem);
};

/** Connects to YDB and applies missing migrations, or refuses to start if some are missing (DOSKA_MIGRATE=check). */
export const openYdb = async (
  config: Config,
  container: Container,
  patience: Patience,
): Promise<Result<YdbClient, StartProblem>> => {
  const { logger } = container.get(Tokens.telemetry);
  const clock = container.get(Tokens.clock);
  const random = container.get(Tokens.random);
  const ids = container.get(Tokens.ids);
  const connected = await patiently(() => connect(config, { clock, random, logger }), patience);
  if (connected.isErr()) return err(connected.error);
  const client = connected.value;
  container.get(Tokens.lifecycle).add('YDB', () => client.close());
  if ((config.migrate ?? (config.profile === 'embedded' ? 'auto' : 'check')) === 'check') {
    const pending = await pendingYdbMigrations(client);
    if (pending.isErr()) return err(schemaProblem(pending.error));
    if (pending.value.length > 0)
      return err(
        startProblem(
          `YDB lacks migrations: ${pending.value.join(', ')}. Apply them with \`doska migrate\`, or start with DOSKA_MIGRATE=auto.`,
        ),
      );
    return ok(client);
  }
  const migrated = await migrateYdb(client, { clock, ids });
  return migrated.isErr() ? err(schemaProblem(migrated.error)) : ok(client);
};

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
import type { Config } from '../config/load.ts';
import { Tokens } from '../tokens.ts';
import { startProblem, type StartProblem } from './problem.ts';

const credentialsOf = ({ ydbAuth, ydbToken, ydbUser, ydbPassword }: Config): YdbOptions['credentials'] => {
  switch (ydbAuth) {
    case 'token':
      return { kind: 'token', token: ydbToken ?? '' };
    case 'password':
      return { kind: 'password', user: ydbUser ?? '', password: ydbPassword ?? '' };
    case 'anonymous':
    case 'metadata':
      return { kind: ydbAuth };
  }
};

type Parts = Pick<YdbOptions, 'clock' | 'random' | 'logger'>;
/** YDB as it is, where it is configured. */
const connect = async (
  config: Config,
  parts: Parts,
): Promise<Result<YdbClient | undefined, StartProblem>> => {
  if (config.offers !== 'ydb' || config.ydbConnectionString === undefined) return ok(undefined);
  const credentials = credentialsOf(config);
  const client = await connectYdb({
    ...{ connectionString: config.ydbConnectionString, directory: config.ydbDirectory },
    ...{ ...parts, ...(credentials ? { credentials } : {}) },
  });
  return client.mapErr(({ what }) => startProblem(`YDB_CONNECTION_STRING: YDB can't be reached: ${what}`));
};
const schemaProblem = (error: MigrationError | Unavailable): StartProblem =>
  startProblem(`YDB: ${error.kind === 'Unavailable' ? error.what : error.message}`);

/** Brings the tables up to date, or with `dryRun` only looks; nothing where YDB is not configured. */
export const migrateConfiguredYdb = async (
  config: Config,
  { ids, dryRun, ...parts }: Parts & { readonly ids: Ids; readonly dryRun: boolean },
): Promise<Result<{ applied: readonly string[]; pending: readonly string[] }, StartProblem>> => {
  const connected = await connect(config, parts);
  if (connected.isErr()) return err(connected.error);
  const client = connected.value;
  if (!client) return ok({ applied: [], pending: [] });
  const outcome = dryRun
    ? await pendingYdbMigrations(client).map((pending) => ({ applied: [], pending }))
    : await migrateYdb(client, { clock: parts.clock, ids }).map(({ applied }) => ({ applied, pending: [] }));
  await client.close();
  return outcome.mapErr(schemaProblem);
};

/** YDB, where it is configured, with its tables as this version wants them. */
export const openYdb = async (
  config: Config,
  container: Container,
): Promise<Result<YdbClient | undefined, StartProblem>> => {
  const { logger } = container.get(Tokens.telemetry);
  const [clock, random, ids] = [
    container.get(Tokens.clock),
    container.get(Tokens.random),
    container.get(Tokens.ids),
  ];
  const connected = await connect(config, { clock, random, logger });
  if (connected.isErr()) return err(connected.error);
  const client = connected.value;
  if (!client) return ok(undefined);
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

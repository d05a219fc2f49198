import {
  connectYdb,
  migrateYdb,
  pendingYdbMigrations,
  type YdbClient,
  type YdbOptions,
} from '@doska/adapters-ydb';
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

/** YDB, where it is configured, with its tables as this version wants them. */
export const openYdb = async (
  config: Config,
  container: Container,
): Promise<Result<YdbClient | undefined, StartProblem>> => {
  if (config.offers !== 'ydb' || config.ydbConnectionString === undefined) return ok(undefined);
  const { logger } = container.get(Tokens.telemetry);
  const [clock, random, ids] = [
    container.get(Tokens.clock),
    container.get(Tokens.random),
    container.get(Tokens.ids),
  ];
  const credentials = credentialsOf(config);
  const client = await connectYdb({
    ...{ connectionString: config.ydbConnectionString, directory: config.ydbDirectory },
    ...{ clock, random, logger, ...(credentials ? { credentials } : {}) },
  });
  if (client.isErr())
    return err(startProblem(`YDB_CONNECTION_STRING: YDB can't be reached: ${client.error.what}`));
  container.get(Tokens.lifecycle).add('YDB', () => client.value.close());
  if ((config.migrate ?? (config.profile === 'embedded' ? 'auto' : 'check')) === 'check') {
    const pending = await pendingYdbMigrations(client.value);
    if (pending.isErr()) return err(startProblem(`YDB: ${JSON.stringify(pending.error)}`));
    if (pending.value.length > 0)
      return err(
        startProblem(
          `YDB lacks migrations: ${pending.value.join(', ')}. Start once with DOSKA_MIGRATE=auto.`,
        ),
      );
    return ok(client.value);
  }
  const migrated = await migrateYdb(client.value, { clock, ids });
  return migrated.isErr() ? err(startProblem(`YDB: ${JSON.stringify(migrated.error)}`)) : ok(client.value);
};

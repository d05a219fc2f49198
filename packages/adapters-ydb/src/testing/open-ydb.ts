import { randomUUID } from 'node:crypto';
import { silentTelemetry } from '@doska/core/kernel';
import { realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import { connectYdb, type YdbClient, type YdbOptions } from '../driver/client.ts';
import { migrateYdb } from '../schema/migrate.ts';
import { migrations } from '../schema/migration.ts';
import { startStandIn, type StandIn, type StandInOptions } from './stand-in/stand-in.ts';

const realServer = process.env['YDB_CONNECTION_STRING'] ?? '';
/** The name of the backend in test titles; the stand-in is named as such. */
export const backendName = realServer === '' ? 'YDB (wire stand-in)' : 'YDB';

export const connectTo = async (
  connectionString: string,
  options: Partial<YdbOptions> = {},
): Promise<YdbClient> => {
  const { logger } = silentTelemetry;
  const connected = await connectYdb({
    connectionString,
    clock: realClock,
    random: realRandom,
    logger,
    ...options,
  });
  return connected._unsafeUnwrap();
};
export type OpenYdb = {
  readonly connectionString: string;
  /** Undefined on a real server. */
  readonly standIn: StandIn | undefined;
  readonly close: () => Promise<void>;
};
/** The configured server, or a stand-in. */
export const openYdb = async (options: StandInOptions = {}): Promise<OpenYdb> => {
  if (realServer !== '') return { connectionString: realServer, standIn: undefined, close: async () => {} };
  const standIn = await startStandIn(options);
  return { connectionString: standIn.connectionString, standIn, close: standIn.close };
};
/** Empty tables in a new directory. With `only`, those of one migration: a suite that opens many directories is quicker then. */
export const openDirectory = async (
  { connectionString }: Pick<OpenYdb, 'connectionString'>,
  { only, ...options }: Partial<YdbOptions> & { readonly only?: string } = {},
): Promise<{ readonly client: YdbClient; readonly close: () => Promise<void> }> => {
  const client = await connectTo(connectionString, { directory: `test-${randomUUID()}`, ...options });
  const some = migrations.filter(({ id }) => only === undefined || id.endsWith(`_${only}`));
  (await migrateYdb(client, { clock: realClock, ids: realIds, migrations: some }))._unsafeUnwrap();
  return { client, close: client.close };
};

import { randomUUID } from 'node:crypto';
import { silentTelemetry } from '@doska/core/kernel';
import { realClock, realRandom } from '@doska/core/kernel/testing';
import { connectYdb, type YdbClient, type YdbOptions } from '../driver/client.ts';
import { startStandIn, type StandIn, type StandInOptions } from './stand-in/stand-in.ts';

const realServer = process.env['YDB_CONNECTION_STRING'] ?? '';
/** What a suite's report calls the backend: a stand-in is no YDB. */
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
  readonly directory: string;
  readonly close: () => Promise<void>;
};
/** The given server, in a directory of its own; or a stand-in of its own. */
export const openYdb = async (options: StandInOptions = {}): Promise<OpenYdb> => {
  const directory = `test-${randomUUID()}`;
  if (realServer !== '') return { connectionString: realServer, directory, close: async () => {} };
  const { connectionString, close } = await startStandIn(options);
  return { connectionString, directory, close };
};
export type { StandIn };

import { grpcChannel, type GrpcChannel } from '@doska/adapters-grpc';
import { systemClock } from '@doska/app-composition';
import { startAppProcess, type AppProcess } from '@doska/test-setup/app-process';
import { freePort } from '../../../../../scripts/parts/kafka-broker.mjs';

const SECRET = 'only-for-this-test-and-long-enough';

/** The apps between a seller's edit and a buyer's search, each as a process of its own. */
export type SearchProcesses = {
  readonly gostApi: AppProcess;
  readonly gostSchedulers: readonly AppProcess[];
  readonly receiver: AppProcess;
  readonly indexers: readonly AppProcess[];
  readonly searchers: readonly AppProcess[];
  readonly searchSchedulers: readonly AppProcess[];
  /** Each asks a searcher of its own. */
  readonly searchApis: readonly AppProcess[];
  readonly channelTo: (app: AppProcess) => GrpcChannel;
  readonly stop: () => Promise<void>;
};

const two = <T>(make: (n: 0 | 1) => Promise<T>): Promise<readonly T[]> => Promise.all([make(0), make(1)]);

export const startSearchProcesses = async (servers: {
  readonly databaseUrl: string;
  readonly brokers: readonly string[];
}): Promise<SearchProcesses> => {
  const started: AppProcess[] = [];
  const channels: GrpcChannel[] = [];
  const stop = async (): Promise<void> => {
    for (const channel of channels) channel.close();
    await Promise.all(started.map((app) => app.remove()));
  };
  const common = {
    DATABASE_URL: servers.databaseUrl,
    DOSKA_DATABASE_POOL: '4',
    DOSKA_LOG: 'kafka',
    KAFKA_BROKERS: servers.brokers.join(','),
    DOSKA_TOKEN_KEY: SECRET,
    DOSKA_SIGNING_SECRET: SECRET,
    DOSKA_PARTITIONS: '4',
    DOSKA_GOST_EXPORT_SHARDS: '4',
    DOSKA_VASGEN_SHARDS: '4',
    DOSKA_LEASE_MS: '1500',
    DOSKA_HEARTBEAT_MS: '200',
    DOSKA_SEARCH_RATE_PER_MINUTE: '1000000',
    // What differs in the end must not be repaired before it is found.
    DOSKA_SEARCH_AUDIT_DAYS: '0',
  };
  const start = async (app: string, settings: Readonly<Record<string, string>> = {}): Promise<AppProcess> => {
    const one = await startAppProcess(app, { ...common, ...settings });
    started.push(one);
    return one;
  };
  // A process that others know by its address comes back on the same port.
  const at = async () => ({ DOSKA_GRPC_PORT: String(await freePort()) });
  const addressOf = (app: AppProcess): string => app.run().grpcAddress;
  try {
    const [gostApi, receiver, searchers] = await Promise.all([
      start('catalog-api', { DOSKA_DEMO: 'yes' }).then(async () => start('gost-api', await at())),
      start('vasgen-receiver', await at()),
      two(async () => start('vasgen-searcher', await at())),
    ]);
    const token = gostApi.run().token;
    const asks = (searcher: AppProcess) => ({
      DOSKA_SEARCH_GOST_URL: addressOf(gostApi),
      DOSKA_SEARCH_VASGEN_URL: addressOf(receiver),
      DOSKA_SEARCH_SEARCHER_URL: addressOf(searcher),
      DOSKA_SEARCH_TOKEN: token,
    });
    const [gostSchedulers, indexers, searchSchedulers, searchApis] = await Promise.all([
      two(() => start('gost-scheduler')),
      two(() => start('vasgen-indexer')),
      two((n) => start('search-scheduler', asks(searchers[n]!))),
      two((n) => start('search-api', asks(searchers[n]!))),
    ]);
    return {
      gostApi,
      gostSchedulers,
      receiver,
      indexers,
      searchers,
      searchSchedulers,
      searchApis,
      channelTo: (app) => {
        const channel = grpcChannel({ target: addressOf(app), clock: systemClock, token });
        channels.push(channel);
        return channel;
      },
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
};

import { createPool, pgGenericStorage, pgLeaseStore } from '@doska/adapters-pg';
import { limitRepeats, makePeriodicJobs, makeShardLeases } from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import { Tokens } from '../tokens.ts';

/** Leases, small values and jobs on PostgreSQL. */
export const postgresModule = (url: string): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.databaseUrl).toConstantValue(url);
    bind(Tokens.pool)
      .toResolvedValue(
        (config, lifecycle, { logger }, clock) => {
          const failures = limitRepeats(logger, clock);
          let isEnding = false;
          // The error holds the whole connection: only its words are logged.
          const onIdleError = ({ message }: Error): void => {
            if (!isEnding) failures.warn('an idle database connection broke', { error: message });
          };
          const pool = createPool({ url, max: config.databasePool, applicationName: 'doska', onIdleError });
          lifecycle.add('database pool', () => {
            isEnding = true;
            return pool.end();
          });
          return pool;
        },
        [Tokens.config, Tokens.lifecycle, Tokens.telemetry, Tokens.clock],
      )
      .inSingletonScope();
    bind(Tokens.leaseStore)
      .toResolvedValue((pool) => pgLeaseStore(pool), [Tokens.pool])
      .inSingletonScope();
    bind(Tokens.leases)
      .toResolvedValue(
        (store, clock, ids, { logger }, { leaseMs, heartbeatMs, stopMs }) =>
          makeShardLeases({
            store,
            clock,
            ids,
            logger,
            times: { leaseMs, beatMs: heartbeatMs, drainMs: stopMs },
          }),
        [Tokens.leaseStore, Tokens.clock, Tokens.ids, Tokens.telemetry, Tokens.config],
      )
      .inSingletonScope();
    bind(Tokens.storage)
      .toResolvedValue((pool) => pgGenericStorage(pool), [Tokens.pool])
      .inSingletonScope();
    bind(Tokens.jobs)
      .toResolvedValue(
        (leases, storage, clock, random, { logger }) =>
          makePeriodicJobs({ leases, storage, clock, random, logger }),
        [Tokens.leases, Tokens.storage, Tokens.clock, Tokens.random, Tokens.telemetry],
      )
      .inSingletonScope();
  });

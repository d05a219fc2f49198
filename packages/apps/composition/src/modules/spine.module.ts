import { pgGenericStorage, pgLeaseStore } from '@doska/adapters-pg';
import { ydbGenericStorage, ydbLeaseStore } from '@doska/adapters-ydb';
import { makePeriodicJobs, makeShardLeases } from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import type { Store } from '../config/store.ts';
import { Tokens } from '../tokens.ts';

/** Leases, small values and jobs, on the store of DOSKA_STORE. */
export const spineModule = (store: Store): ContainerModule =>
  new ContainerModule(({ bind }) => {
    if (store === 'ydb') {
      bind(Tokens.leaseStore)
        .toResolvedValue((client) => ydbLeaseStore(client), [Tokens.ydb])
        .inSingletonScope();
      bind(Tokens.storage)
        .toResolvedValue((client) => ydbGenericStorage(client), [Tokens.ydb])
        .inSingletonScope();
    } else {
      bind(Tokens.leaseStore)
        .toResolvedValue((pool) => pgLeaseStore(pool), [Tokens.pool])
        .inSingletonScope();
      bind(Tokens.storage)
        .toResolvedValue((pool) => pgGenericStorage(pool), [Tokens.pool])
        .inSingletonScope();
    }
    bind(Tokens.leases)
      .toResolvedValue(
        (leaseStore, clock, ids, { logger }, { leaseMs, heartbeatMs, stopMs }) =>
          makeShardLeases({
            store: leaseStore,
            clock,
            ids,
            logger,
            times: { leaseMs, beatMs: heartbeatMs, drainMs: stopMs },
          }),
        [Tokens.leaseStore, Tokens.clock, Tokens.ids, Tokens.telemetry, Tokens.config],
      )
      .inSingletonScope();
    bind(Tokens.jobs)
      .toResolvedValue(
        (leases, storage, clock, random, { logger }) =>
          makePeriodicJobs({ leases, storage, clock, random, logger }),
        [Tokens.leases, Tokens.storage, Tokens.clock, Tokens.random, Tokens.telemetry],
      )
      .inSingletonScope();
  });

import { afterAll, beforeAll } from 'vitest';
import { makeShardLeases, silentTelemetry } from '@doska/core/kernel';
import {
  genericStorageContract,
  leaseStoreContract,
  messageLogContract,
  realClock,
  realIds,
  realRandom,
  shardLeasesContract,
} from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { createPool, pgGenericStorage, pgLeaseStore, pgMessageLog } from './index.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** A separate client, as another process has; `crash` cuts its connections and lets it open no new ones. */
const client = () => {
  const pool = createPool({ url: database.url, max: 4, applicationName: 'doska-test-client' });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await pool.end();
    open = false;
  };
  return { pool, close, crash: close };
};

genericStorageContract('PostgreSQL', {
  open: async () => {
    const { pool, close } = client();
    return { storage: pgGenericStorage(pool), close };
  },
  promises: { durable: true },
});
leaseStoreContract('PostgreSQL', {
  open: async () => {
    const { pool, close } = client();
    return { store: pgLeaseStore(pool), close };
  },
});
shardLeasesContract('PostgreSQL', {
  open: async (times) => {
    const { pool, close, crash } = client();
    return {
      leases: makeShardLeases({ store: pgLeaseStore(pool), clock: realClock, ids: realIds, times }),
      close,
      crash,
    };
  },
});
messageLogContract('PostgreSQL', {
  promises: { knownOutcomes: true, calmHandover: true },
  open: async () => {
    const { pool, close, crash } = client();
    const log = pgMessageLog({
      url: database.url,
      pool,
      clock: realClock,
      ids: realIds,
      random: realRandom,
      logger: silentTelemetry.logger,
      leaseTimes: { leaseMs: 1_500, beatMs: 150 },
      consumer: { retry: { firstMs: 20, factor: 2, maxMs: 500, jitter: 0.2 } },
    });
    return {
      log,
      crash,
      close: async () => {
        await log.close();
        await close();
      },
    };
  },
  prune: async (topic) => {
    await database.pool.query(
      'delete from log_batch b using log_topic t where t.id = b.topic and t.name = $1 and last_off < (select max(last_off) from log_batch m where m.topic = b.topic and m.part = b.part)',
      [topic],
    );
  },
  recreate: async ({ name, partitions, retentionMs, recordBytesMax }) => {
    await database.pool.query('select log_delete_topic($1)', [name]);
    await database.pool.query(
      'insert into log_topic (name, partitions, retention_ms, record_bytes_max) values ($1, $2, $3, $4)',
      [name, partitions, retentionMs, recordBytesMax],
    );
  },
  begin: async (records) => {
    const log = pgMessageLog({
      url: database.url,
      pool: database.pool,
      clock: realClock,
      ids: realIds,
      random: realRandom,
      logger: silentTelemetry.logger,
    });
    const tx = await database.pool.connect();
    await tx.query('begin');
    (await log.publishIn(tx, records))._unsafeUnwrap();
    return {
      commit: async () => {
        await tx.query('commit');
        tx.release();
        await log.close();
      },
    };
  },
});

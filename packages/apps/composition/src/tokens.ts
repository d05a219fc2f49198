import type { IssueToken } from '@doska/adapters-auth';
import type { PlatformStatus } from '@doska/adapters-grpc';
import type { RunningTelemetry } from '@doska/adapters-telemetry';
import type { YdbClient } from '@doska/adapters-ydb';
import type {
  Authenticator,
  BlobStore,
  BlockedPartitions,
  Clock,
  Downloader,
  GenericStorage,
  Ids,
  LeaseStore,
  MessageLog,
  PeriodicJobs,
  Random,
  ShardLeases,
  Signer,
} from '@doska/core/kernel';
import type { ServiceIdentifier } from 'inversify';
import type pg from 'pg';
import type { Config } from './config/config.ts';
import type { Lifecycle } from './host/lifecycle.ts';
import type { ProcessRecord } from './host/process-record.ts';

export type SelfStatus = Pick<PlatformStatus, 'platform' | 'workers'> & {
  readonly process: Omit<ProcessRecord, 'heartbeatAtMs'>;
};

/** A typed key of the container. Errors about the wiring show its name. */
export const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`doska.${name}`);

/** What the platform binds in every process. Contexts have tokens of their own. */
export const Tokens = {
  config: token<Config>('config'),
  lifecycle: token<Lifecycle>('lifecycle'),
  clock: token<Clock>('kernel.clock'),
  ids: token<Ids>('kernel.ids'),
  random: token<Random>('kernel.random'),
  telemetry: token<RunningTelemetry>('telemetry'),
  databaseUrl: token<string>('database.url'),
  pool: token<pg.Pool>('database.pool'),
  /** Bound only if a context of the process uses YDB. */
  ydb: token<YdbClient>('database.ydb'),
  leaseStore: token<LeaseStore>('kernel.leaseStore'),
  leases: token<ShardLeases>('kernel.leases'),
  storage: token<GenericStorage>('kernel.storage'),
  jobs: token<PeriodicJobs>('kernel.jobs'),
  log: token<MessageLog>('kernel.log'),
  /** Partitions of this process that a record blocks. */
  blockedPartitions: token<BlockedPartitions>('kernel.blockedPartitions'),
  blobs: token<BlobStore>('kernel.blobs'),
  downloader: token<Downloader>('kernel.downloader'),
  authenticator: token<Authenticator>('auth.authenticator'),
  issueToken: token<IssueToken>('auth.issueToken'),
  signer: token<Signer>('kernel.signer'),
  /** The state of this process: its parts and its start time. */
  selfStatus: token<() => SelfStatus>('host.selfStatus'),
} as const;

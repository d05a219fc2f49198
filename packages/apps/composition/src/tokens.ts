import type { IssueToken } from '@doska/adapters-auth';
import type { PlatformStatus } from '@doska/adapters-grpc';
import type { RunningTelemetry } from '@doska/adapters-telemetry';
import type {
  Authenticator,
  BlobStore,
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
import type { CatalogCache, CatalogStore } from '@doska/core/catalog';
import type {
  DecidingNeeds,
  Geocoder,
  GostCodecs,
  GostSettings,
  GostStores,
  ReadArchive,
} from '@doska/core/gost';
import type { ServiceIdentifier } from 'inversify';
import type pg from 'pg';
import type { Config } from './config/load.ts';
import type { Lifecycle } from './host/lifecycle.ts';

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`doska.${name}`);

/** What apps ask the container for. Which adapter answers is decided by the modules that were loaded. */
export const Tokens = {
  config: token<Config>('config'),
  lifecycle: token<Lifecycle>('lifecycle'),
  clock: token<Clock>('kernel.clock'),
  ids: token<Ids>('kernel.ids'),
  random: token<Random>('kernel.random'),
  telemetry: token<RunningTelemetry>('telemetry'),
  databaseUrl: token<string>('database.url'),
  pool: token<pg.Pool>('database.pool'),
  leaseStore: token<LeaseStore>('kernel.leaseStore'),
  leases: token<ShardLeases>('kernel.leases'),
  storage: token<GenericStorage>('kernel.storage'),
  jobs: token<PeriodicJobs>('kernel.jobs'),
  log: token<MessageLog>('kernel.log'),
  blobs: token<BlobStore>('kernel.blobs'),
  downloader: token<Downloader>('kernel.downloader'),
  authenticator: token<Authenticator>('auth.authenticator'),
  issueToken: token<IssueToken>('auth.issueToken'),
  signer: token<Signer>('kernel.signer'),
  catalogStore: token<CatalogStore>('catalog.store'),
  /** The newest copy of the catalogue; some part of the process must `run` it (`catalogCachePart`). */
  catalogCache: token<CatalogCache>('catalog.cache'),
  geocoder: token<Geocoder>('gost.geocoder'),
  gostSettings: token<GostSettings>('gost.settings'),
  /** Its commits travel in groups. */
  gostStores: token<GostStores>('gost.stores'),
  gostCodecs: token<GostCodecs>('gost.codecs'),
  /** Offers that have left the store. */
  readArchive: token<ReadArchive>('gost.readArchive'),
  /** What every decision about an offer needs. */
  gostDeciding: token<DecidingNeeds>('gost.deciding'),
  /** What the host knows of itself: its parts and when it began. */
  selfStatus: token<() => Pick<PlatformStatus, 'platform' | 'workers'>>('host.selfStatus'),
} as const;

import { catalogClient, grpcChannel } from '@doska/adapters-grpc';
import { pgCatalogStore } from '@doska/adapters-pg';
import { catalogCodec } from '@doska/adapters-proto';
import { Tokens } from '@doska/app-composition';
import { openCatalog, type CatalogSource } from '@doska/core/catalog';
import { ContainerModule } from 'inversify';
import { CatalogTokens, type CatalogConfig } from './tokens.ts';

const POLL_MS = 1_000;

/** Binds the catalogue's store, and a cached copy that is loaded from the catalogue service or from the database. */
export const catalogModule = (config: CatalogConfig): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(CatalogTokens.config).toConstantValue(config);
    bind(CatalogTokens.store)
      .toResolvedValue(
        (pool, ids) =>
          pgCatalogStore({ pool, codec: catalogCodec, newUpload: () => ids.next(), keep: config.keep }),
        [Tokens.pool, Tokens.ids],
      )
      .inSingletonScope();
    bind(CatalogTokens.catalog)
      .toResolvedValue(
        (store, clock, random, { logger, tracer }, lifecycle) => {
          const overNetwork = (target: string): CatalogSource => {
            const access = config.token === undefined ? {} : { token: config.token };
            const channel = grpcChannel({ target, clock, tracer, ...access });
            lifecycle.add('catalogue channel', async () => channel.close());
            return catalogClient(channel);
          };
          const source = config.url === undefined ? {} : { source: overNetwork(config.url) };
          return openCatalog({ store, clock, random, logger, ...source }, { pollMs: POLL_MS });
        },
        [CatalogTokens.store, Tokens.clock, Tokens.random, Tokens.telemetry, Tokens.lifecycle],
      )
      .inSingletonScope();
    bind(CatalogTokens.cache)
      .toResolvedValue(({ cache }) => cache, [CatalogTokens.catalog])
      .inSingletonScope();
  });

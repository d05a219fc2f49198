import { catalogClient, grpcChannel } from '@doska/adapters-grpc';
import { pgCatalogStore } from '@doska/adapters-pg';
import { catalogCodec } from '@doska/adapters-proto';
import { makeCatalogCache, storeSource, type CatalogSource } from '@doska/core/catalog';
import { ContainerModule, type Container } from 'inversify';
import type { Config } from '../config/load.ts';
import type { Part } from '../host/part.ts';
import { Tokens } from '../tokens.ts';

/** The store of the catalogue, and a cached copy of it that every app may ask: from the service, or from the database. */
export const catalogModule = ({ catalogUrl, catalogToken, catalogKeep }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.catalogStore)
      .toResolvedValue(
        (pool, ids) =>
          pgCatalogStore({ pool, codec: catalogCodec, newUpload: () => ids.next(), keep: catalogKeep }),
        [Tokens.pool, Tokens.ids],
      )
      .inSingletonScope();
    bind(Tokens.catalogCache)
      .toResolvedValue(
        (store, clock, random, { logger, tracer }, lifecycle) => {
          const overNetwork = (target: string): CatalogSource => {
            const channel = grpcChannel({
              target,
              clock,
              tracer,
              ...(catalogToken === undefined ? {} : { token: catalogToken }),
            });
            lifecycle.add('catalogue channel', async () => channel.close());
            return catalogClient(channel);
          };
          const source = catalogUrl === undefined ? storeSource(store) : overNetwork(catalogUrl);
          return makeCatalogCache({ source, clock, random, logger, pollMs: 1_000 });
        },
        [Tokens.catalogStore, Tokens.clock, Tokens.random, Tokens.telemetry, Tokens.lifecycle],
      )
      .inSingletonScope();
  });

/** Keeps the process's copy of the catalogue fresh. Ready at once: without a copy those who ask are told so. */
export const catalogCachePart = (app: string, container: Container): Part => ({
  app,
  name: 'catalog-cache',
  run: (signal, ready) => {
    ready();
    return container.get(Tokens.catalogCache).run(signal);
  },
});

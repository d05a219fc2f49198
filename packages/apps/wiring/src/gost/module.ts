import { pgGostStores } from '@doska/adapters-pg';
import { flowCodecs, gostCodecs } from '@doska/adapters-proto';
import { ydbGostStores } from '@doska/adapters-ydb';
import { Tokens, type Store } from '@doska/app-composition';
import { openGost } from '@doska/core/gost';
import { ContainerModule } from 'inversify';
import { CatalogTokens } from '../catalog/tokens.ts';
import { gostSettingsOf } from './domain-settings.ts';
import { GostTokens, type GostConfig } from './tokens.ts';

/** Binds the stores on the configured database, and the offer store that the whole process shares. */
export const gostModule = (config: GostConfig, store: Store): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(GostTokens.config).toConstantValue(config);
    bind(GostTokens.settings).toConstantValue(gostSettingsOf(config));
    if (store === 'ydb')
      bind(GostTokens.stores)
        .toResolvedValue(
          (client, clock) => ydbGostStores({ client, codecs: gostCodecs, clock }),
          [Tokens.ydb, Tokens.clock],
        )
        .inSingletonScope();
    else
      bind(GostTokens.stores)
        .toResolvedValue(
          (pool, clock) => pgGostStores({ pool, codecs: gostCodecs, clock }),
          [Tokens.pool, Tokens.clock],
        )
        .inSingletonScope();
    bind(GostTokens.gost)
      .toResolvedValue(
        (
          settings,
          stores,
          geocoder,
          cache,
          log,
          storage,
          blobs,
          signer,
          clock,
          ids,
          random,
          telemetry,
          lifecycle,
        ) => {
          const gost = openGost(
            {
              stores,
              codecs: { ...gostCodecs, ...flowCodecs },
              log,
              storage,
              blobs,
              signer,
              geocoder,
              clock,
              ids,
              random,
              telemetry,
              catalog: () => cache.copy().map(({ catalog }) => catalog),
            },
            settings,
          );
          lifecycle.add('offer store', () => gost.close());
          return gost;
        },
        [
          GostTokens.settings,
          GostTokens.stores,
          GostTokens.geocoder,
          CatalogTokens.cache,
          Tokens.log,
          Tokens.storage,
          Tokens.blobs,
          Tokens.signer,
          Tokens.clock,
          Tokens.ids,
          Tokens.random,
          Tokens.telemetry,
          Tokens.lifecycle,
        ],
      )
      .inSingletonScope();
  });

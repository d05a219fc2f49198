import { pgVasgenStores } from '@doska/adapters-pg';
import { vasgenCodecs } from '@doska/adapters-proto';
import { ydbVasgenStores } from '@doska/adapters-ydb';
import { Tokens, type Store } from '@doska/app-composition';
import { openVasgen } from '@doska/core/vasgen';
import { ContainerModule } from 'inversify';
import { vasgenSettingsOf } from './domain-settings.ts';
import { embeddedEngines } from './engine.ts';
import { VasgenTokens, type VasgenConfig } from './tokens.ts';

/** Binds indexing, and the searcher of the process. */
export const vasgenModule = (config: VasgenConfig, store: Store): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(VasgenTokens.config).toConstantValue(config);
    bind(VasgenTokens.settings).toConstantValue(vasgenSettingsOf(config));
    if (store === 'ydb')
      bind(VasgenTokens.stores)
        .toResolvedValue((client) => ydbVasgenStores(client), [Tokens.ydb])
        .inSingletonScope();
    else
      bind(VasgenTokens.stores)
        .toResolvedValue((pool) => pgVasgenStores(pool), [Tokens.pool])
        .inSingletonScope();
    bind(VasgenTokens.vasgen)
      .toResolvedValue(
        (settings, stores, log, blobs, storage, ids, clock, random, telemetry, lifecycle) => {
          const vasgen = openVasgen(
            { stores, codecs: vasgenCodecs, log, blobs, storage, ids, clock, random, telemetry },
            settings,
          );
          lifecycle.add('indexing', () => vasgen.close());
          return vasgen;
        },
        [
          VasgenTokens.settings,
          VasgenTokens.stores,
          Tokens.log,
          Tokens.blobs,
          Tokens.storage,
          Tokens.ids,
          Tokens.clock,
          Tokens.random,
          Tokens.telemetry,
          Tokens.lifecycle,
        ],
      )
      .inSingletonScope();
    bind(VasgenTokens.engines)
      .toResolvedValue(
        ({ dataDir }, { logger }) => embeddedEngines(config, dataDir, logger),
        [Tokens.config, Tokens.telemetry],
      )
      .inSingletonScope();
    bind(VasgenTokens.searcher)
      .toResolvedValue(
        (vasgen, engines, ids, blocked) => vasgen.openSearcher({ id: ids.next(), engines, blocked }),
        [VasgenTokens.vasgen, VasgenTokens.engines, Tokens.ids, Tokens.blockedPartitions],
      )
      .inSingletonScope();
  });

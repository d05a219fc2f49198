import { folderTableSource } from '@doska/adapters-files';
import {
  cardCodec,
  deadLetterCodec,
  gostCodecs,
  searchEventsCodec,
  vasgenCodecs,
} from '@doska/adapters-proto';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { Tokens, type Store } from '@doska/app-composition';
import { openSearchApi, openSearchScheduler } from '@doska/core/search';
import { ContainerModule } from 'inversify';
import { CatalogTokens } from '../catalog/tokens.ts';
import { searchSettingsOf } from './domain-settings.ts';
import { bindNeighbours } from './neighbours.ts';
import { bindSearchStores } from './stores.ts';
import { SearchTokens, type SearchConfig } from './tokens.ts';

/** Binds search: the API and the scheduler, their stores, and what they need of other contexts. */
export const searchModule = (config: SearchConfig, store: Store): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bindSearchStores(bind, store);
    bindNeighbours(bind, config);
    bind(SearchTokens.config).toConstantValue(config);
    bind(SearchTokens.settings).toConstantValue(searchSettingsOf(config));
    bind(SearchTokens.api)
      .toResolvedValue(
        (index, catalog, signer, ids, log, clock, telemetry, settings, snippets) =>
          openSearchApi(
            {
              index,
              ...(snippets && { snippets }),
              catalog,
              signer,
              ids,
              log,
              events: searchEventsCodec,
              clock,
              telemetry,
              analyzer: russianEnglishAnalyzer(),
              cards: cardCodec,
            },
            settings,
          ),
        [
          SearchTokens.index,
          CatalogTokens.cache,
          Tokens.signer,
          Tokens.ids,
          Tokens.log,
          Tokens.clock,
          Tokens.telemetry,
          SearchTokens.settings,
          SearchTokens.snippets,
        ],
      )
      .inSingletonScope();
    bind(SearchTokens.scheduler)
      .toResolvedValue(
        (
          catalog,
          epochs,
          offers,
          indexed,
          lot,
          ctr,
          clicks,
          storage,
          log,
          clock,
          random,
          telemetry,
          { partitions },
          settings,
        ) =>
          openSearchScheduler(
            {
              catalog,
              epochs,
              offers,
              indexed,
              lot,
              ctr,
              clicks,
              storage,
              tables:
                config.ctrDir === undefined
                  ? undefined
                  : folderTableSource(config.ctrDir, { nowMs: () => clock.nowMs() }),
              log,
              clock,
              random,
              telemetry,
              codecs: {
                view: gostCodecs.view,
                batch: vasgenCodecs.batch,
                card: cardCodec,
                deadLetter: deadLetterCodec,
                rejected: vasgenCodecs.rejected,
                events: searchEventsCodec,
              },
              partitions,
            },
            settings,
          ),
        [
          CatalogTokens.cache,
          SearchTokens.epochs,
          SearchTokens.offers,
          SearchTokens.indexed,
          SearchTokens.lot,
          SearchTokens.ctr,
          SearchTokens.clicks,
          Tokens.storage,
          Tokens.log,
          Tokens.clock,
          Tokens.random,
          Tokens.telemetry,
          Tokens.config,
          SearchTokens.settings,
        ],
      )
      .inSingletonScope();
  });

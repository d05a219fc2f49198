import { folderTableSource } from '@doska/adapters-files';
import {
  epochClient,
  grpcChannel,
  offerSourceClient,
  searcherClient,
  snippetClient,
  type GrpcChannel,
} from '@doska/adapters-grpc';
import {
  cardCodec,
  deadLetterCodec,
  gostCodecs,
  searchEventsCodec,
  vasgenCodecs,
} from '@doska/adapters-proto';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { Tokens, type Lifecycle, type Store } from '@doska/app-composition';
import { unavailable, type Clock, type Telemetry, type Tracer } from '@doska/core/kernel';
import {
  OFFERS_CLIENT,
  openSearchApi,
  openSearchScheduler,
  type IndexEpochs,
  type SnippetSource,
} from '@doska/core/search';
import type { Snippets } from '@doska/core/snippets';
import type { ClientName } from '@doska/core/vasgen';
import { ContainerModule } from 'inversify';
import { CatalogTokens } from '../catalog/tokens.ts';
import { GostTokens } from '../gost/tokens.ts';
import { SnippetsTokens } from '../snippets/tokens.ts';
import { VasgenTokens } from '../vasgen/tokens.ts';
import { searchSettingsOf } from './domain-settings.ts';
import {
  indexedOffersOf,
  indexEpochsOf,
  offerSourceOf,
  registryPageOf,
  searchIndexOf,
  snippetSourceOf,
} from './same-process.ts';
import { bindSearchStores } from './stores.ts';
import { SearchTokens, type SearchConfig } from './tokens.ts';

const epochsOver = (channel: GrpcChannel): IndexEpochs => {
  const client = OFFERS_CLIENT as ClientName;
  const epochs = epochClient(channel);
  return {
    living: () =>
      epochs
        .get(client)
        .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('epochs', error))),
    declare: (epoch, fields, plans) =>
      epochs
        .declare(client, epoch, fields, plans)
        .mapErr((error) =>
          error.kind === 'Unavailable' || error.kind === 'InvalidInput'
            ? error
            : unavailable('epochs', error),
        ),
  };
};

/** Binds what search needs of other contexts: of this process, or over the network. */
export const searchModule = (config: SearchConfig, store: Store): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bindSearchStores(bind, store);
    const channelTo = (target: string, clock: Clock, tracer: Tracer): GrpcChannel =>
      grpcChannel({ target, clock, tracer, ...(config.token === undefined ? {} : { token: config.token }) });
    bind(SearchTokens.config).toConstantValue(config);
    bind(SearchTokens.settings).toConstantValue(searchSettingsOf(config));
    const { searcherUrl, vasgenUrl, gostUrl, snippetsUrl } = config;
    if (searcherUrl === undefined)
      bind(SearchTokens.index)
        .toResolvedValue(
          (searcher, { useCases }) =>
            searchIndexOf({
              execute: (...asked) => searcher.execute(...asked),
              explain: (...asked) => searcher.explain(...asked),
              getDocuments: (...asked) => useCases.getDocuments(...asked),
              words: (...asked) => searcher.words(...asked),
            }),
          [VasgenTokens.searcher, VasgenTokens.vasgen],
        )
        .inSingletonScope();
    else
      bind(SearchTokens.index)
        .toResolvedValue(
          (clock, { tracer }, lifecycle) => {
            const channel = channelTo(searcherUrl, clock, tracer);
            lifecycle.add('searcher channel', async () => channel.close());
            return searchIndexOf(searcherClient(channel));
          },
          [Tokens.clock, Tokens.telemetry, Tokens.lifecycle],
        )
        .inSingletonScope();
    bind(SearchTokens.snippets)
      .toResolvedValue(
        (
          clock: Clock,
          { tracer }: Pick<Telemetry, 'tracer'>,
          lifecycle: Lifecycle,
          own: Snippets | undefined,
        ): SnippetSource | undefined => {
          if (snippetsUrl === undefined) return own && snippetSourceOf(own);
          const channel = channelTo(snippetsUrl, clock, tracer);
          lifecycle.add('snippets channel', async () => channel.close());
          const client = snippetClient(channel);
          return {
            find: (query) => client.multiGet(query).mapErr((error) => unavailable('snippets', error)),
          };
        },
        [
          Tokens.clock,
          Tokens.telemetry,
          Tokens.lifecycle,
          { serviceIdentifier: SnippetsTokens.snippets, optional: true },
        ],
      )
      .inSingletonScope();
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
    if (searcherUrl === undefined)
      bind(SearchTokens.indexed)
        .toResolvedValue(
          (vasgen, index) => indexedOffersOf(registryPageOf(vasgen), index),
          [VasgenTokens.vasgen, SearchTokens.index],
        )
        .inSingletonScope();
    else
      bind(SearchTokens.indexed)
        .toResolvedValue(
          (index, clock, { tracer }, lifecycle) => {
            const channel = channelTo(searcherUrl, clock, tracer);
            lifecycle.add('registry channel', async () => channel.close());
            const client = searcherClient(channel);
            return indexedOffersOf(
              (epoch, cursor) => client.livingPage(OFFERS_CLIENT as ClientName, epoch, cursor),
              index,
            );
          },
          [SearchTokens.index, Tokens.clock, Tokens.telemetry, Tokens.lifecycle],
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
    if (vasgenUrl === undefined)
      bind(SearchTokens.epochs)
        .toResolvedValue((vasgen) => indexEpochsOf(vasgen), [VasgenTokens.vasgen])
        .inSingletonScope();
    else
      bind(SearchTokens.epochs)
        .toResolvedValue(
          (clock, { tracer }, lifecycle) => {
            const channel = channelTo(vasgenUrl, clock, tracer);
            lifecycle.add('epochs channel', async () => channel.close());
            return epochsOver(channel);
          },
          [Tokens.clock, Tokens.telemetry, Tokens.lifecycle],
        )
        .inSingletonScope();
    if (gostUrl === undefined)
      bind(SearchTokens.offers)
        .toResolvedValue((gost) => offerSourceOf(gost), [GostTokens.gost])
        .inSingletonScope();
    else
      bind(SearchTokens.offers)
        .toResolvedValue(
          (clock, { tracer }, lifecycle) => {
            const channel = channelTo(gostUrl, clock, tracer);
            lifecycle.add('offer store channel', async () => channel.close());
            return offerSourceClient(channel);
          },
          [Tokens.clock, Tokens.telemetry, Tokens.lifecycle],
        )
        .inSingletonScope();
  });

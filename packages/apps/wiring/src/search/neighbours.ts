import {
  epochClient,
  grpcChannel,
  offerSourceClient,
  searcherClient,
  snippetClient,
  type GrpcChannel,
} from '@doska/adapters-grpc';
import { Tokens, type Lifecycle } from '@doska/app-composition';
import { unavailable, type Clock, type Telemetry, type Tracer } from '@doska/core/kernel';
import { OFFERS_CLIENT, type IndexEpochs, type SnippetSource } from '@doska/core/search';
import type { Snippets } from '@doska/core/snippets';
import type { ClientName } from '@doska/core/vasgen';
import type { Bind } from 'inversify';
import { GostTokens } from '../gost/tokens.ts';
import { SnippetsTokens } from '../snippets/tokens.ts';
import { VasgenTokens } from '../vasgen/tokens.ts';
import {
  indexedOffersOf,
  indexEpochsOf,
  offerSourceOf,
  registryPageOf,
  searchIndexOf,
  snippetSourceOf,
} from './same-process.ts';
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
export const bindNeighbours = (bind: Bind, config: SearchConfig): void => {
  const channelTo = (target: string, clock: Clock, tracer: Tracer): GrpcChannel =>
    grpcChannel({ target, clock, tracer, ...(config.token === undefined ? {} : { token: config.token }) });
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
};

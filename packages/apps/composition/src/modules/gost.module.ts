import { pgGostStores } from '@doska/adapters-pg';
import { ydbGostStores, type YdbClient } from '@doska/adapters-ydb';
import { gostCodecs } from '@doska/adapters-proto';
import {
  defaultGostSettings,
  makeGroupCommit,
  rememberingOffers,
  type DecidingNeeds,
  type GostSettings,
  type GostStores,
} from '@doska/core/gost';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/load.ts';
import { Tokens } from '../tokens.ts';

const DAY_US = 86_400_000_000;

export const gostSettingsOf = (config: Config): GostSettings => ({
  ...defaultGostSettings,
  limits: {
    ...defaultGostSettings.limits,
    titleCharsMax: config.titleCharsMax,
    descriptionCharsMax: config.descriptionCharsMax,
    photosMax: config.photosMax,
    offerBytesMax: config.offerBytesMax,
    currencies: config.currencies.split(','),
  },
  lifetimeUs: config.offerDays * DAY_US,
  anonymousDraftUs: config.anonymousDraftDays * DAY_US,
  publishedDraftUs: config.publishedDraftDays * DAY_US,
  bannedRowUs: config.bannedFeedDays * DAY_US,
  feedGuard: { shareMax: config.feedGuardShare / 100, offersMin: config.feedGuardOffers },
  shards: config.exportShards,
});

/** The offer store of a process: whoever commits through it commits together with the others. */
export const gostModule = (config: Config, ydb: YdbClient | undefined): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.gostSettings).toConstantValue(gostSettingsOf(config));
    bind(Tokens.gostStores)
      .toResolvedValue(
        (pool, clock, lifecycle): GostStores => {
          const shared = { codecs: gostCodecs, clock };
          const stores = ydb ? ydbGostStores({ client: ydb, ...shared }) : pgGostStores({ pool, ...shared });
          const remembering = rememberingOffers(stores.offers, { bytesMax: config.offerMemoryMb * 2 ** 20 });
          const offers = makeGroupCommit(remembering, {
            ...{ clock, lingerMs: config.commitLingerMs, flushesMax: config.commitGroups },
          });
          lifecycle.add('offer store', () => offers.close());
          return { ...stores, offers };
        },
        [Tokens.pool, Tokens.clock, Tokens.lifecycle],
      )
      .inSingletonScope();
    bind(Tokens.gostDeciding)
      .toResolvedValue(
        (cache, clock, random, settings): DecidingNeeds => ({
          ...{ clock, random, settings },
          catalog: () => cache.copy().map(({ catalog }) => catalog),
        }),
        [Tokens.catalogCache, Tokens.clock, Tokens.random, Tokens.gostSettings],
      )
      .inSingletonScope();
  });

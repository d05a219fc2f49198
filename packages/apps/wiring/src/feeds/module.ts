import { join } from 'node:path';
import { fileSpool } from '@doska/adapters-files';
import { formatReader, xlsxWriter } from '@doska/adapters-formats';
import { pgFeedStores } from '@doska/adapters-pg';
import { deadLetterCodec, flowCodecs, gostCodecs, photoCodecs } from '@doska/adapters-proto';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import { Tokens } from '@doska/app-composition';
import { openFeeds } from '@doska/core/feeds';
import { ContainerModule } from 'inversify';
import { CatalogTokens } from '../catalog/tokens.ts';
import { GostTokens } from '../gost/tokens.ts';
import { feedsSettingsOf } from './domain-settings.ts';
import { FeedsTokens, type FeedsConfig } from './tokens.ts';

/** Binds the feeds that the whole process shares. */
export const feedsModule = (config: FeedsConfig): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(FeedsTokens.config).toConstantValue(config);
    bind(FeedsTokens.feeds)
      .toResolvedValue(
        (platform, pool, storage, blobs, downloader, log, cache, geocoder, clock, ids, random, telemetry) =>
          openFeeds(
            {
              stores: pgFeedStores(pool),
              storage,
              blobs,
              spool: fileSpool(join(platform.dataDir, 'spool')),
              reader: formatReader(),
              workbook: xlsxWriter(),
              downloader,
              log,
              codecs: {
                offers: flowCodecs.feedOffers,
                answers: flowCodecs.feedResults,
                photoErrors: gostCodecs.photoErrors,
                kept: photoCodecs.kept,
                deadLetters: deadLetterCodec,
              },
              catalog: () => cache.copy().map(({ catalog }) => catalog),
              analyzer: russianEnglishAnalyzer(),
              geocoder,
              clock,
              ids,
              random,
              telemetry,
            },
            feedsSettingsOf(config),
            platform.recordAttemptsMax,
          ),
        [
          Tokens.config,
          Tokens.pool,
          Tokens.storage,
          Tokens.blobs,
          Tokens.downloader,
          Tokens.log,
          CatalogTokens.cache,
          GostTokens.geocoder,
          Tokens.clock,
          Tokens.ids,
          Tokens.random,
          Tokens.telemetry,
        ],
      )
      .inSingletonScope();
  });

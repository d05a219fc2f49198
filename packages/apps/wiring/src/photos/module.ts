import { blobDigest } from '@doska/adapters-files';
import { sharpImages } from '@doska/adapters-images';
import { deadLetterCodec, photoCodecs } from '@doska/adapters-proto';
import { Tokens } from '@doska/app-composition';
import { openPhotos } from '@doska/core/photos';
import { ContainerModule } from 'inversify';
import { photosSettingsOf } from './domain-settings.ts';
import { PhotosTokens, type PhotosConfig } from './tokens.ts';

/** Binds the photo service that the whole process shares. */
export const photosModule = (config: PhotosConfig): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(PhotosTokens.config).toConstantValue(config);
    bind(PhotosTokens.processor)
      .toResolvedValue(() => sharpImages())
      .inSingletonScope();
    bind(PhotosTokens.photos)
      .toResolvedValue(
        (platform, processor, storage, blobs, downloader, log, clock, random, telemetry) =>
          openPhotos(
            {
              processor,
              storage,
              blobs,
              downloader,
              log,
              clock,
              random,
              telemetry,
              digest: blobDigest,
              codecs: photoCodecs,
              deadLetters: deadLetterCodec,
            },
            photosSettingsOf(config, platform.recordAttemptsMax),
          ),
        [
          Tokens.config,
          PhotosTokens.processor,
          Tokens.storage,
          Tokens.blobs,
          Tokens.downloader,
          Tokens.log,
          Tokens.clock,
          Tokens.random,
          Tokens.telemetry,
        ],
      )
      .inSingletonScope();
  });

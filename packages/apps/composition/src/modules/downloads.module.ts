import { allowedPlaces, guardedDownloader, nowhere, withDemoPictures } from '@doska/adapters-download';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/config.ts';
import { listed } from '../config/setting.ts';
import { Tokens } from '../tokens.ts';

/** Downloads from URLs that users give, with the configured limits. */
export const downloadsModule = ({
  downloadAllow,
  downloadPorts,
  downloadProxy,
  demo,
  profile,
}: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.downloader)
      .toResolvedValue(
        (clock) => {
          const guarded = guardedDownloader({
            clock,
            // `loadConfig` has refused a wrong list.
            allowed: allowedPlaces(listed(downloadAllow)).unwrapOr(nowhere),
            ports: listed(downloadPorts).map(Number),
            userAgent: 'doska',
            ...(downloadProxy === undefined ? {} : { proxy: new URL(downloadProxy) }),
          });
          return (demo ?? profile === 'embedded') ? withDemoPictures(guarded) : guarded;
        },
        [Tokens.clock],
      )
      .inSingletonScope();
  });

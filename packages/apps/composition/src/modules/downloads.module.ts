import { allowedPlaces, guardedDownloader, nowhere } from '@doska/adapters-download';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/load.ts';
import { listed } from '../config/setting.ts';
import { Tokens } from '../tokens.ts';

/** Downloads of what sellers name, over the guard and with the limits that the configuration gives it. */
export const downloadsModule = ({ downloadAllow, downloadPorts, downloadProxy }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.downloader)
      .toResolvedValue(
        (clock) =>
          guardedDownloader({
            clock,
            // The configuration was refused if this is wrong.
            allowed: allowedPlaces(listed(downloadAllow)).unwrapOr(nowhere),
            ports: listed(downloadPorts).map(Number),
            userAgent: 'doska',
            ...(downloadProxy === undefined ? {} : { proxy: new URL(downloadProxy) }),
          }),
        [Tokens.clock],
      )
      .inSingletonScope();
  });

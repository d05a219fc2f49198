import { join } from 'node:path';
import { fileBlobStore } from '@doska/adapters-files';
import { ContainerModule } from 'inversify';
import { Tokens } from '../tokens.ts';

/** Blobs as files in the data directory. */
export const fileBlobsModule = new ContainerModule(({ bind }) => {
  bind(Tokens.blobs)
    .toResolvedValue(
      (config, clock) => fileBlobStore({ dir: join(config.dataDir, 'blobs'), clock }),
      [Tokens.config, Tokens.clock],
    )
    .inSingletonScope();
});

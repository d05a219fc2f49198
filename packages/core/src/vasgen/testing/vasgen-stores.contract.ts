import { archiveManifestContract } from './archive-manifest.contract.ts';
import { epochStoreContract } from './epoch-store.contract.ts';
import { queuesContract } from './queues.contract.ts';
import { refusalsContract } from './refusals.contract.ts';
import { registryContract } from './registry.contract.ts';
import { searcherRowsContract } from './searcher-rows.contract.ts';
import type { VasgenHarness } from './vasgen-harness.ts';
import { vasgenTrapsContract } from './vasgen-traps.contract.ts';

/** Everything that vasgen's stores promise. Each `open` gives empty stores. */
export const vasgenStoreContracts = (backend: string, harness: VasgenHarness): void => {
  epochStoreContract(backend, harness);
  registryContract(backend, harness);
  queuesContract(backend, harness);
  refusalsContract(backend, harness);
  searcherRowsContract(backend, harness);
  archiveManifestContract(backend, harness);
  vasgenTrapsContract(backend, harness);
};

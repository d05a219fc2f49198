import { cabinetContract } from './cabinet.contract.ts';
import { draftStoreContract } from './draft-store.contract.ts';
import { exportQueueContract } from './export-queue.contract.ts';
import { feedStoreContract } from './feed-store.contract.ts';
import type { GostHarness } from './gost-stores.ts';
import { offerArchiveContract } from './offer-archive.contract.ts';
import { offerScanContract } from './offer-scan.contract.ts';
import { offerStoreContract } from './offer-store.contract.ts';

/** Everything that the stores of offers promise, on one backend. */
export const gostContracts = (backend: string, harness: GostHarness): void => {
  offerStoreContract(backend, harness);
  offerScanContract(backend, harness);
  offerArchiveContract(backend, harness);
  draftStoreContract(backend, harness);
  exportQueueContract(backend, harness);
  cabinetContract(backend, harness);
  feedStoreContract(backend, harness);
};

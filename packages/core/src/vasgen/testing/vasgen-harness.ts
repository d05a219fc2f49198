import { SAMPLE_SHARDS, sampleClient } from './document-samples.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';

export type VasgenHarness = {
  /** Empty stores. `again` opens the same ones a second time, as another process would. */
  readonly open: () => Promise<{
    readonly stores: VasgenStores;
    readonly again: () => VasgenStores;
    readonly close: () => Promise<void>;
  }>;
};
export type OpenedVasgen = Awaited<ReturnType<VasgenHarness['open']>>;

/** Stores with one client that has epoch 1. */
export const openWithClient = async ({ open }: VasgenHarness): Promise<OpenedVasgen> => {
  const opened = await open();
  (await opened.stores.epochs.ensureClient(sampleClient(), SAMPLE_SHARDS))._unsafeUnwrap();
  return opened;
};

export { direct, type Env, type Io, type Op } from './testing/io.ts';
export {
  blobStoreCases,
  blobStoreContract,
  type BlobStoreCase,
  type BlobStoreHarness,
} from './testing/blob-store.contract.ts';
export { blobServer, inMemoryBlobStore, type BlobServer } from './testing/in-memory-blob-store.ts';
